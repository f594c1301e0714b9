import type { Backend } from './backend.ts';
import { decodeReply } from './wire.ts';

/** Milliseconds between two looks at the log. */
const INTERVAL_MS = 10_000;
/** So much write-ahead log is replayed at most after a kill, about a second's work. */
const WAL_BYTES_BETWEEN = 32_000_000;

type Executor = Pick<Backend, 'execute'>;

/**
 * PGlite has no background processes: nothing checkpoints, so the write-ahead log grows without end, and nothing vacuums.
 * This does both whenever enough has been written. @returns looks whether it is time; to be called after writes
 */
export function createHousekeeping(
  backend: Executor,
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let lookedAt = now();
  return async () => {
    if (now() - lookedAt < INTERVAL_MS) return;
    await tidy(backend);
    lookedAt = now();
  };
}

/** Vacuums and checkpoints when more than `walBytes` have been written since the last checkpoint. @returns whether it did */
export async function tidy(backend: Executor, walBytes = WAL_BYTES_BETWEEN): Promise<boolean> {
  const { bytes } = await backend.execute(
    'select pg_current_wal_insert_lsn() - redo_lsn as written from pg_control_checkpoint()',
  );
  const written = Number(decodeReply(bytes, () => undefined).rows[0]?.[0] ?? 0);
  if (written < walBytes) return false;
  // A failure here is met by the next query, which has someone to tell.
  await backend.execute('vacuum (analyze)');
  await backend.execute('checkpoint');
  return true;
}
