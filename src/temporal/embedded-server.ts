import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { authority } from '../domain/local-url.ts';
import { StartupError } from '../domain/startup-error.ts';
import { endProcess } from './end-process.ts';
import { claimablePort } from './port.ts';
import { keepRunning } from '../process/keep-running.ts';
import { runCommand } from '../process/run-command.ts';
import { assertWholeFile, damagedFile, findDamage } from './damaged-file.ts';
import { DATABASE_FILE, serverArguments } from './server-arguments.ts';
import { claimServer } from './server-claim.ts';
import { serverEnvironment, startServerProcess, type ServerProcess } from './server-process.ts';

export interface EmbeddedTemporalOptions {
  binary: string;
  dataDir: string;
  host: string;
  /** Port for workers and clients; 0 for any free one. Setting: BURNISH_TEMPORAL_PORT. */
  port: number;
  /** Port of the Web UI; 0 for any free one, undefined for no Web UI. Setting: BURNISH_TEMPORAL_UI_PORT. */
  uiPort: number | undefined;
  uiHost?: string;
  uiCodecEndpoint?: string;
  namespace: string;
  /** Setting: BURNISH_TEMPORAL_SYNCHRONOUS; absent: NORMAL. */
  synchronous?: 'NORMAL' | 'FULL' | undefined;
  searchAttributes: readonly string[];
  /** Aborts the wait for the server, and ends it. */
  signal?: AbortSignal | undefined;
  /** Receives one sentence about each restart */
  report?: (sentence: string) => void;
}

export interface EmbeddedTemporal {
  /** host:port */
  address: string;
  namespace: string;
  uiUrl: string | undefined;
  /** Process id of the server; another one after a restart */
  readonly pid: number;
  /** Settles when the server has ended for good: after `stop`, or after too many restarts. */
  ended: Promise<void>;
  /** Ends the server and returns after its exit; stop the workers first. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Milliseconds; a start takes one second, and several on a busy machine with a large file. */
const HEALTHY_WITHIN = 90_000;

/**
 * Starts Temporal's own server on a SQLite file in the data folder, and returns when it serves the namespace. Data
 * persists between starts. A server of an earlier, killed run is ended first. A server that ends by itself is started
 * again on the same ports, at most three times within ten minutes.
 *
 * @throws StartupError when a port is taken, another process uses the folder, the file is damaged, or the server does not
 * start
 */
export async function startEmbeddedTemporal(options: EmbeddedTemporalOptions): Promise<EmbeddedTemporal> {
  const { binary, dataDir, host, namespace, synchronous = 'NORMAL', searchAttributes, signal } = options;
  const folder = join(dataDir, 'temporal');
  const claim = await claimServer(join(folder, 'server.claim'));
  try {
    const knowingNewsOption = knowsNewsOption(binary, signal);
    const port = await claimablePort(host, options.port, 'BURNISH_TEMPORAL_PORT');
    const ui = await webUi(options);
    const canSkipNews = await knowingNewsOption;
    signal?.throwIfAborted();
    const args = serverArguments({ host, port, ui, namespace, synchronous, searchAttributes, canSkipNews });
    const file = join(folder, DATABASE_FILE);
    await assertWholeFile(file);
    const logFile = join(folder, 'server.log');
    await rm(logFile, { force: true });
    const address = authority(host, port);
    const stopping = new AbortController();
    let server: ServerProcess;
    const start = async (waiting: AbortSignal | undefined): Promise<ServerProcess> => {
      server = await startServerProcess(binary, args, logFile);
      await claim.record(server.identity);
      await untilHealthy({ server, address, namespace, file, logFile, signal: waiting }).catch(
        async (error: unknown) => {
          await end(server);
          throw error;
        },
      );
      return server;
    };
    const ended = keepRunning(await start(signal), {
      name: 'The embedded Temporal server',
      restart: () => start(stopping.signal),
      report: options.report ?? (() => undefined),
      stopping: stopping.signal,
    });
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> =>
      (stopped ??= (async () => {
        stopping.abort();
        await end(server);
        await ended;
        await claim.release();
      })());
    const uiUrl = ui && `http://${authority(ui.host, ui.port)}`;
    return {
      address,
      namespace,
      uiUrl,
      get pid() {
        return server.identity.pid;
      },
      ended,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

async function end({ identity, ended }: ServerProcess): Promise<void> {
  await endProcess(identity);
  await ended;
}

async function webUi({ uiPort, host, uiHost = host, uiCodecEndpoint }: EmbeddedTemporalOptions) {
  if (uiPort === undefined) return undefined;
  const port = await claimablePort(uiHost, uiPort, 'BURNISH_TEMPORAL_UI_PORT');
  return { host: uiHost, port, codecEndpoint: uiCodecEndpoint };
}

/** An older CLI from PATH may not know this option, and would refuse to start. */
const knowsNewsOption = (binary: string, signal: AbortSignal | undefined): Promise<boolean> =>
  runCommand(binary, ['server', 'start-dev', '--help'], { env: serverEnvironment(), timeoutMs: 20_000, signal }).then(
    (help) => help.includes('--ui-disable-news-fetch'),
    () => false,
  );

interface Waiting {
  server: ServerProcess;
  address: string;
  namespace: string;
  /** The server's database */
  file: string;
  logFile: string;
  signal: AbortSignal | undefined;
}

async function untilHealthy({ server, address, namespace, file, logFile, signal }: Waiting): Promise<void> {
  let hasEnded = false;
  void server.ended.then(() => (hasEnded = true));
  const giveUpAt = performance.now() + HEALTHY_WITHIN;
  while (!(await serves(address, namespace))) {
    signal?.throwIfAborted();
    if (hasEnded || performance.now() > giveUpAt) {
      const trouble = hasEnded ? 'stopped at once' : `did not respond within ${HEALTHY_WITHIN / 1000} seconds`;
      const said = await logTail(logFile);
      const damage = findDamage(said);
      if (damage !== undefined) throw damagedFile(file, damage);
      throw new StartupError(`The Temporal server ${trouble}; it said: ${said}`);
    }
    await delay(50);
  }
  signal?.throwIfAborted();
  // A server on a damaged file serves, and fails at each command that needs the damaged part.
  const damage = findDamage(await readFile(logFile, 'utf8'));
  if (damage !== undefined) throw damagedFile(file, damage);
}

/** Uses a new connection for each check, since a refused one waits a second before it retries. */
async function serves(address: string, namespace: string): Promise<boolean> {
  const connection = Connection.lazy({ address });
  try {
    await connection.withDeadline(Date.now() + 2_000, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

/** The last line of the log (at most 500 bytes), or a note that it is empty. */
async function logTail(logFile: string): Promise<string> {
  await using file = await open(logFile);
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(500), position: Math.max(0, size - 500) });
  return buffer.toString('utf8', 0, bytesRead).trim().split('\n').at(-1) || 'nothing';
}
