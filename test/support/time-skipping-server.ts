import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Connection } from '@temporalio/client';
import { testPort } from './test-port.ts';
import { CLASS_ARCHIVE, mavenProgram } from './maven-program.ts';
import { onceACheckout } from './once-a-checkout.ts';

/** Installs it from Maven, since the SDK's own download is not pinned. */
function installServer(): Promise<string> {
  return mavenProgram({
    title: "Temporal's time-skipping test server",
    groupId: 'io.temporal',
    artifactId: 'temporal-test-server',
    version: '1.38.0',
    mainClass: 'io.temporal.testserver.TestServer',
    // The SDK waits only five seconds for the server, so these options speed up the start of the JVM.
    options: ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto', '-Xmx512m'],
  });
}

/** Archives the classes of the server (25 MB), so that a start takes a third of the processor time. */
async function archiveClasses(program: string): Promise<void> {
  const archive = join(dirname(program), CLASS_ARCHIVE);
  if (existsSync(archive)) return;
  const unfinished = `${archive}.${process.pid}`;
  const port = await testPort();
  const env = { ...process.env, JAVA_TOOL_OPTIONS: `-XX:ArchiveClassesAtExit=${unfinished}` };
  const server = spawn(program, [String(port), '--enable-time-skipping'], { env, stdio: 'ignore' });
  const ended = once(server, 'exit');
  try {
    const connection = await Connection.connect({ address: `127.0.0.1:${port}`, connectTimeout: '30s' });
    await connection.close();
  } finally {
    server.kill();
    await ended;
  }
  // A JVM before 13 makes no archive.
  if (existsSync(unfinished)) await rename(unfinished, archive);
}

/** Path of Temporal's time-skipping test server (38 MB), a program that takes a port. */
export const timeSkippingServer: string = await onceACheckout('time-skipping-server', async () => {
  const program = await installServer();
  await archiveClasses(program);
  return program;
});
