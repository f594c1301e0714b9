import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { DOWNLOAD_URL } from '../../src/temporal/server-download.ts';
import { CLASS_ARCHIVE, installedMavenProgram, mavenProgram, type MavenProgram } from './maven-program.ts';
import { onceACheckout } from './once-a-checkout.ts';
import { repositoryRoot } from './repository.ts';
import { TEST_SERVER_JARS } from './test-server-jars.ts';
import { testPort } from './test-port.ts';

const execute = promisify(execFile);
const cache = join(repositoryRoot, '.cache');

/** A new version needs the new hashes in `test-server-jars.ts`. */
const VERSION = '1.38.0';

const JAVA_SERVER: MavenProgram = {
  title: "Temporal's time-skipping test server",
  groupId: 'io.temporal',
  artifactId: 'temporal-test-server',
  version: VERSION,
  mainClass: 'io.temporal.testserver.TestServer',
  // The SDK waits only five seconds for the server, so these options speed up the start of the JVM.
  options: ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto', '-Xmx512m'],
  jars: TEST_SERVER_JARS,
  remedy: `let this machine reach ${new URL(DOWNLOAD_URL).host}`,
};

/** The native server, by the name that the SDK gives its download. */
const NATIVE_SERVER = join(cache, `temporal-test-server-v${VERSION}`);
/** Limits in milliseconds: without an answer the next source should follow soon. */
const [ANSWER_WITHIN_MS, NATIVE_WITHIN_MS] = [5_000, 120_000];

/** The reason of a failure, and the time for which test files repeat it without another attempt, milliseconds. */
const FAILURE = { path: join(cache, 'time-skipping-server.failure'), lastsMs: 10 * 60_000 };

/** Lets the SDK download, verify and start the native server. It has no time limit of its own. @throws Error without it */
async function downloadNative(): Promise<string> {
  await fetch(DOWNLOAD_URL, { method: 'HEAD', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  const executable = { type: 'cached-download', version: `v${VERSION}`, downloadDir: cache };
  const script = `
    const { TestWorkflowEnvironment } = require('@temporalio/testing');
    TestWorkflowEnvironment.createTimeSkipping({ server: { executable: ${JSON.stringify(executable)} } })
      .then((environment) => environment.teardown());`;
  try {
    await execute(process.execPath, ['-e', script], { cwd: repositoryRoot, timeout: NATIVE_WITHIN_MS });
    return NATIVE_SERVER;
  } catch (error) {
    await rm(NATIVE_SERVER, { force: true });
    throw error;
  }
}

/** Archives the classes of the server (25 MB), so that a start takes a third of the processor time. */
async function archiveClasses(program: string): Promise<void> {
  const archive = join(dirname(program), CLASS_ARCHIVE);
  const unfinished = `${archive}.${process.pid}`;
  const port = await testPort();
  const env = { ...process.env, JAVA_TOOL_OPTIONS: `'-XX:ArchiveClassesAtExit=${unfinished}'` };
  const server = spawn(program, [String(port), '--enable-time-skipping'], { env, stdio: 'ignore' });
  const ended = once(server, 'exit');
  try {
    const connection = await Connection.connect({ address: `127.0.0.1:${port}`, connectTimeout: '3m' });
    await connection.close();
  } finally {
    server.kill();
    await ended;
  }
  // A JVM before 13 makes no archive.
  if (existsSync(unfinished)) await rename(unfinished, archive);
}

async function installJavaServer(): Promise<string> {
  const program = await mavenProgram(JAVA_SERVER);
  await archiveClasses(program);
  return program;
}

/** The server that this checkout has, else the SDK's download, else the jars with a Java. @throws Error with the remedies */
async function provideServer(): Promise<string> {
  if (existsSync(NATIVE_SERVER)) return NATIVE_SERVER;
  const installed = await installedMavenProgram(JAVA_SERVER);
  if (installed !== undefined) return installed;
  const failed = await stat(FAILURE.path).catch(() => undefined);
  if (failed !== undefined && Date.now() - failed.mtimeMs < FAILURE.lastsMs)
    throw new Error(await readFile(FAILURE.path, 'utf8'));
  try {
    return await downloadNative().catch(installJavaServer);
  } catch (cause) {
    await writeFile(FAILURE.path, (cause as Error).message);
    throw cause;
  }
}

/** Path of Temporal's time-skipping test server, a program that takes a port. */
export const timeSkippingServer: string = await onceACheckout('time-skipping-server', provideServer);
