import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from './repository.ts';

const execute = promisify(execFile);

/** A Java program from Maven. */
export interface MavenProgram {
  /** Title for the error, such as `Temporal's time-skipping test server` */
  title: string;
  groupId: string;
  artifactId: string;
  version: string;
  mainClass: string;
  /** Options of the JVM */
  options?: readonly string[];
}

const pomOf = ({
  groupId,
  artifactId,
  version,
}: MavenProgram): string => `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>burnish</groupId>
  <artifactId>${artifactId}-program</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>${groupId}</groupId>
      <artifactId>${artifactId}</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`;

/** A first start of the program may leave an archive of its classes beside it, for faster starts (JVM 13 and later). */
export const CLASS_ARCHIVE = 'classes.jsa';

const launcherOf = ({ mainClass, options = [] }: MavenProgram): string => `#!/bin/sh
folder="$(dirname "$0")"
archive="$folder/${CLASS_ARCHIVE}"
if [ ! -f "$archive" ]; then archive=; fi
exec java \${archive:+"-XX:SharedArchiveFile=$archive"} ${options.join(' ')} \\
  -cp "$folder/jars/*" ${mainClass} "$@" 2>/dev/null
`;

/**
 * Provides a Java program from Maven, kept under .cache/. Its version is pinned, it runs on every processor with Java, and
 * mirrors are respected.
 * @returns the path of the program
 * @throws Error with the program to install
 */
export async function mavenProgram(program: MavenProgram): Promise<string> {
  const { title, groupId, artifactId, version } = program;
  const cache = join(repositoryRoot, '.cache');
  const folder = join(cache, `${artifactId}-${version}`);
  const launcher = join(folder, artifactId);
  if (existsSync(launcher)) {
    // An earlier version of this file wrote another launcher.
    if ((await readFile(launcher, 'utf8')) !== launcherOf(program)) await writeFile(launcher, launcherOf(program));
    return launcher;
  }
  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(`${folder}.`);
  try {
    await writeFile(join(scratch, 'pom.xml'), pomOf(program));
    const goal = [
      'dependency:copy-dependencies',
      `-DoutputDirectory=${join(scratch, 'jars')}`,
      '-DincludeScope=runtime',
    ];
    await execute('mvn', ['-q', '-B', ...goal], { cwd: scratch, timeout: 300_000 });
    await execute('java', ['-version']);
    await writeFile(join(scratch, artifactId), launcherOf(program), { mode: 0o755 });
    await rename(scratch, folder).catch((error: NodeJS.ErrnoException) => {
      // Another test process has already installed it.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    return launcher;
  } catch (cause) {
    const sentence = `${title} (${groupId}:${artifactId}:${version}) cannot be had`;
    throw new Error(`${sentence}: install Java 11 or later and Maven, and let Maven reach its repository.`, { cause });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
