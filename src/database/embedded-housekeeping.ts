import type { PGlite } from '@electric-sql/pglite';

const INTERVAL_MS = 60_000;
/** So much write-ahead log is replayed at most after a kill, about a second's work. */
const WAL_BYTES_BETWEEN = 32_000_000;

/**
 * PGlite has no background processes: nothing checkpoints, so the write-ahead log grows without end, and nothing vacuums.
 * This does both whenever enough has been written.
 * @returns ends it, waiting for work that is under way
 */
export function keepHouse(pglite: PGlite): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // A failure here is met by the next query, which has someone to tell.
    running = running.then(() => tidy(pglite)).catch(() => undefined);
  }, INTERVAL_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** Vacuums and checkpoints when more than `walBytes` have been written since the last checkpoint; tells whether it did. */
export async function tidy(pglite: PGlite, walBytes = WAL_BYTES_BETWEEN): Promise<boolean> {
  const { rows } = await pglite.query<{ written: number }>(
    'select (pg_current_wal_insert_lsn() - redo_lsn)::float8 as written from pg_control_checkpoint()',
  );
  if ((rows[0]?.written ?? 0) < walBytes) return false;
  await pglite.exec('vacuum (analyze)');
  await pglite.exec('checkpoint');
  return true;
}
