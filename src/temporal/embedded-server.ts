import { open, readFile, rm, stat } from 'node:fs/promises';
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
  /** Ends the server and returns after its exit; stop the workers first. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const NAME = 'The embedded Temporal server';
/** Milliseconds; a start takes one second, and several on a busy machine with a large file. */
const HEALTHY_WITHIN = 90_000;

/**
 * Starts Temporal's own server on a SQLite file in the data folder, and returns when it serves the namespace. Data
 * persists between starts. A server of an earlier, killed run is ended first. A server that ends by itself is started
 * again on the same ports. One that panics before it serves is started once more.
 *
 * @throws StartupError when a port is taken, another process uses the folder, the file is damaged, or the server does not
 * start
 */
export async function startEmbeddedTemporal(options: EmbeddedTemporalOptions): Promise<EmbeddedTemporal> {
  const { binary, dataDir, host, namespace, synchronous = 'NORMAL', searchAttributes, signal } = options;
  const report = options.report ?? (() => undefined);
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
      const logged = await stat(logFile).then(
        ({ size }) => size,
        () => 0,
      );
      server = await startServerProcess(binary, args, logFile);
      await claim.record(server.identity);
      const log = { path: logFile, from: logged };
      await untilHealthy({ server, address, namespace, file, log, signal: waiting }).catch(async (error: unknown) => {
        await end(server);
        throw error;
      });
      return server;
    };
    const first = await start(signal).catch((error: unknown) => {
      if (!(error instanceof ServerPanic)) throw error;
      report(`${NAME} panicked at its start, and is started once more.`);
      return start(signal);
    });
    const ended = keepRunning(first, {
      name: NAME,
      restart: () => start(stopping.signal),
      report,
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
  /** The server's log, and where this run begins in it, in bytes */
  log: { path: string; from: number };
  signal: AbortSignal | undefined;
}

/** The server ended by a fault of its own before it served, which a second start may not meet again. */
class ServerPanic extends StartupError {}

async function untilHealthy({ server, address, namespace, file, log, signal }: Waiting): Promise<void> {
  let hasEnded = false;
  void server.ended.then(() => (hasEnded = true));
  const giveUpAt = performance.now() + HEALTHY_WITHIN;
  while (!(await serves(address, namespace))) {
    signal?.throwIfAborted();
    if (hasEnded || performance.now() > giveUpAt) {
      const said = await saidIn(log);
      const damage = findDamage(said);
      if (damage !== undefined) throw damagedFile(file, damage);
      throw refusedStart({ hasEnded, said, path: log.path });
    }
    await delay(50);
  }
  signal?.throwIfAborted();
  // A server on a damaged file serves, and fails at each command that needs the damaged part.
  const damage = findDamage(await readFile(log.path, 'utf8'));
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

/** The first line of Go about a fault of a program; the lines after it are those of its stacks. */
const PANIC = /^(?:panic|fatal error|SIG[A-Z]+): .*$/m;
/** Bytes of the log that an error looks at. */
const LOG_BYTES = 1_000_000;

function refusedStart({ hasEnded, said, path }: { hasEnded: boolean; said: string; path: string }): StartupError {
  const rest = `Read ${path}, and start again, or set TEMPORAL_ADDRESS to another server.`;
  const panic = PANIC.exec(said)?.[0];
  if (hasEnded && panic !== undefined) {
    return new ServerPanic(`The Temporal server panicked at its start; it said: ${panic.slice(0, 500)}. ${rest}`);
  }
  const trouble = hasEnded ? 'stopped at once' : `did not respond within ${HEALTHY_WITHIN / 1000} seconds`;
  const last = said.trim().split('\n').at(-1) || 'nothing';
  return new StartupError(`The Temporal server ${trouble}; it said: ${last.slice(-500)}. ${rest}`);
}

/** The end of a log since a place in it. */
async function saidIn({ path, from }: Waiting['log']): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  const position = Math.max(from, size - LOG_BYTES);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(LOG_BYTES), position });
  return buffer.toString('utf8', 0, bytesRead);
}
