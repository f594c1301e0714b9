import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from './repository.ts';

const execute = promisify(execFile);

const VERSION = '1.38.0';

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>burnish</groupId>
  <artifactId>time-skipping-server</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

/** The SDK gives a server five seconds to come up: start with what makes a JVM start fast. */
const LAUNCHER = `#!/bin/sh
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -Xmx512m \\
  -cp "$(dirname "$0")/jars/*" io.temporal.testserver.TestServer "$@" 2>/dev/null
`;

/**
 * Provides Temporal's time-skipping test server, from Maven (38 MB, kept under .cache/). Maven first and not the SDK's own
 * download: the version is pinned, it runs on every processor that Java runs on, and mirrors are honoured.
 *
 * @returns the path of a program that takes a port
 * @throws Error that says what to install
 */
export async function timeSkippingServer(): Promise<string> {
  const cache = join(repositoryRoot, '.cache');
  const folder = join(cache, `temporal-test-server-${VERSION}`);
  const launcher = join(folder, 'temporal-test-server');
  if (existsSync(launcher)) return launcher;
  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(`${folder}.`);
  try {
    await writeFile(join(scratch, 'pom.xml'), POM);
    const goal = [
      'dependency:copy-dependencies',
      `-DoutputDirectory=${join(scratch, 'jars')}`,
      '-DincludeScope=runtime',
    ];
    await execute('mvn', ['-q', '-B', ...goal], { cwd: scratch, timeout: 300_000 });
    await execute('java', ['-version']);
    await writeFile(join(scratch, 'temporal-test-server'), LAUNCHER, { mode: 0o755 });
    await rename(scratch, folder).catch((error: NodeJS.ErrnoException) => {
      // Another test process was faster.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    return launcher;
  } catch (cause) {
    const sentence = `Temporal's time-skipping test server (io.temporal:temporal-test-server:${VERSION}) cannot be had`;
    throw new Error(`${sentence}: install Java 11 or later and Maven, and let Maven reach its repository.`, { cause });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
