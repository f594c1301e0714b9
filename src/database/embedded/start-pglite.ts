import { PGlite } from '@electric-sql/pglite';
import { DurableNodeFs } from './durable-node-fs.ts';

const SETTINGS = [
  'fsync=on',
  // The only method that Emscripten passes on; see DurableNodeFs
  'wal_sync_method=fsync',
  // PostgreSQL commits without waiting; Turns holds the reply until the sync
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

/**
 * Starts PostgreSQL in this thread on a folder. When PostgreSQL panics because of a full or broken disk, PGlite would
 * continue with corrupt memory. Here every later query rejects instead, until the process restarts and recovers from
 * the log.
 */
export async function startPglite(path: string): Promise<PGlite> {
  let panicked = false;
  const fs = new DurableNodeFs(path, () => {
    panicked = true;
  });
  const pglite = await PGlite.create({ fs, startParams: START_PARAMS });
  const execute = pglite.execProtocolRawSync.bind(pglite);
  // All queries use this function.
  pglite.execProtocolRawSync = (message) => {
    if (panicked) throw new Error('The embedded database has stopped: its disk is full or cannot be written.');
    return execute(message);
  };
  return pglite;
}
