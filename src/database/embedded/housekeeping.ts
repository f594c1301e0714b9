import type { Backend } from './backend.ts';
import { decodeReply } from './wire.ts';

/** Milliseconds between two checks of the log. */
const INTERVAL_MS = 10_000;
/** Maximum write-ahead log that a restart replays after a kill, about one second of work. */
const WAL_BYTES_BETWEEN = 32_000_000;

type Executor = Pick<Backend, 'execute'>;

/**
 * Vacuums and checkpoints after a certain amount of writes. PGlite has no background processes, so without this the
 * write-ahead log would grow without limit.
 * @returns a function to call after writes, which checks whether maintenance is due
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

/**
 * Vacuums and checkpoints when more than `walBytes` have been written since the last checkpoint. @returns whether it
 * did
 */
export async function tidy(backend: Executor, walBytes = WAL_BYTES_BETWEEN): Promise<boolean> {
  const { bytes } = await backend.execute(
    'select pg_current_wal_insert_lsn() - redo_lsn as written from pg_control_checkpoint()',
  );
  const written = Number(decodeReply(bytes, () => undefined).rows[0]?.[0] ?? 0);
  if (written < walBytes) return false;
  // The next query reports a failure to its caller.
  await backend.execute('vacuum (analyze)');
  await backend.execute('checkpoint');
  return true;
}
