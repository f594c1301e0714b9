import { PGlite } from '@electric-sql/pglite';
import { damagedFolder } from './damage.ts';
import { DurableNodeFs } from './durable-node-fs.ts';

const SETTINGS = [
  'fsync=on',
  // The only method that Emscripten passes on; see DurableNodeFs
  'wal_sync_method=fsync',
  // PostgreSQL commits without waiting; SessionMultiplexer holds the reply until the sync
  'synchronous_commit=off',
  // WebAssembly has no demand paging: each of these bytes is resident. The file system's cache is one layer below.
  'shared_buffers=16MB',
  'max_connections=8',
  'max_wal_size=64MB',
  'min_wal_size=32MB',
];

const START_PARAMS = [
  // `-F` turns fsync off
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  ...SETTINGS.flatMap((setting) => ['-c', setting]),
];

/** Status of PGlite's exit by which PostgreSQL continues after the error of a statement. */
const NEXT_STATEMENT = 100;

/**
 * Starts PostgreSQL in this thread on a folder. PGlite would continue with corrupt memory after a panic or a trap. Here
 * every later query rejects instead.
 * @param onStop called once PostgreSQL has panicked, exited or trapped
 * @throws StartupError when the database in the folder is damaged
 * @throws Error with the code of the file system when the disk is full or faulty
 */
export async function startPostgres(path: string, onStop: (reason: Error) => void = () => undefined): Promise<PGlite> {
  let stopped: Error | undefined;
  let lastWords: string | undefined;
  const stop = (): void => {
    if (stopped !== undefined) return;
    stopped = new Error(lastWords ?? fs.trouble ?? 'it gave no reason');
    onStop(stopped);
  };
  const fs = new DurableNodeFs(path, stop);
  const onStderr = (line: string): boolean => {
    lastWords = /(?:FATAL|PANIC): +(.*)/.exec(line)?.[1] ?? lastWords;
    return false;
  };
  const pglite = await PGlite.create({ fs, startParams: START_PARAMS, onStderr }).catch((error: unknown) => {
    throw whyNotStarted(error, path, fs.trouble, lastWords);
  });
  watchMainLoop(pglite, stop);
  const execute = pglite.execProtocolRawSync.bind(pglite);
  const refuseIfStopped = (): void => {
    if (stopped !== undefined) throw stopped;
  };
  // All queries use this function. It returns without an answer when PostgreSQL panics.
  pglite.execProtocolRawSync = (message) => {
    refuseIfStopped();
    try {
      return execute(message);
    } catch (error) {
      stop();
      throw error;
    } finally {
      refuseIfStopped();
    }
  };
  return pglite;
}

/** PGlite ignores every exception of PostgreSQL's main loop, also one that ends PostgreSQL. */
function watchMainLoop(pglite: PGlite, stop: () => void): void {
  const module = pglite.Module as unknown as { _PostgresMainLoopOnce: () => void };
  const once = module._PostgresMainLoopOnce;
  module._PostgresMainLoopOnce = () => {
    try {
      once();
    } catch (error) {
      if ((error as { status?: number }).status !== NEXT_STATEMENT) stop();
      throw error;
    }
  };
}

function whyNotStarted(error: unknown, path: string, code: string | undefined, lastWords: string | undefined): unknown {
  if (code !== undefined) {
    return Object.assign(new Error(`The files in ${path} cannot be used (${code}).`), { code, path });
  }
  if (lastWords !== undefined) return damagedFolder(path, lastWords.replaceAll(`${PGlite.paths.PGDATA}/`, ''));
  const isOfPostgres = error instanceof Error && 'severity' in error;
  return isOfPostgres ? damagedFolder(path, error.message) : error;
}
