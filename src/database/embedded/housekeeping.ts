import type { Backend } from './backend.ts';
import { decodeReply } from './wire.ts';

/** Milliseconds between two checks of the log. */
const INTERVAL_MS = 10_000;
/** Maximum write-ahead log that a restart replays after a kill, about one second of work. */
const WAL_BYTES_BETWEEN = 32_000_000;

type Executor = Pick<Backend, 'execute'>;

/**
 * Vacuums the tables that need it after a certain amount of writes, and checkpoints. PGlite has no background processes, so
 * without this the write-ahead log and the tables would grow without limit. A call makes one step: other requests run
 * between two tables.
 * @returns a function to call after writes
 */
export function createHousekeeping(
  backend: Executor,
  { now = () => performance.now(), walBytes = WAL_BYTES_BETWEEN }: { now?: () => number; walBytes?: number } = {},
): () => Promise<void> {
  let lookedAt = now();
  let due: string[] = [];
  // PGlite does not keep the numbers of changed rows over a restart.
  let everyTable = true;
  return async () => {
    const step = due.shift();
    if (step !== undefined) {
      // The next query reports a failure to its caller.
      await backend.execute(step);
      return;
    }
    if (now() - lookedAt < INTERVAL_MS) return;
    const [written] = await read(
      backend,
      'select pg_current_wal_insert_lsn() - redo_lsn as written from pg_control_checkpoint()',
    );
    if (Number(written) >= walBytes) {
      // A vacuum writes to the log too, so the checkpoint comes last.
      due = [...(await dueVacuums(backend, everyTable)), 'checkpoint'];
      everyTable = false;
    }
    lookedAt = now();
  };
}

/**
 * The vacuums that PostgreSQL's own background process would make, by its thresholds: the share of dead and of new rows, and the
 * age of the oldest transaction (documentation of PostgreSQL 17, chapter 24.1.6). A vacuum of every table would read them all
 * after each 32 MB of log, for seconds once there are many records.
 */
function dueVacuums(backend: Executor, everyTable: boolean): Promise<string[]> {
  const passed = (counter: string, setting: string): string =>
    `${counter} > current_setting('autovacuum_${setting}_threshold')::float8
      + current_setting('autovacuum_${setting}_scale_factor')::float8 * greatest(each.reltuples, 0)`;
  return read(
    backend,
    `select format('vacuum (analyze %s) %s', (${everyTable} or ${passed('n_mod_since_analyze', 'analyze')})::text, each.oid::regclass)
    from pg_class each join pg_stat_all_tables on relid = each.oid left join pg_class toast on toast.oid = each.reltoastrelid
    where each.relkind = 'r' and (
      ${everyTable} or ${passed('n_dead_tup', 'vacuum')} or ${passed('n_ins_since_vacuum', 'vacuum_insert')}
      or ${passed('n_mod_since_analyze', 'analyze')}
      or greatest(age(each.relfrozenxid), age(toast.relfrozenxid)) > current_setting('autovacuum_freeze_max_age')::integer
      or greatest(mxid_age(each.relminmxid), mxid_age(toast.relminmxid)) > current_setting('autovacuum_multixact_freeze_max_age')::integer
    )
    order by each.relpages desc`,
  );
}

/** The first column of the rows. */
async function read(backend: Executor, text: string): Promise<string[]> {
  const { bytes } = await backend.execute(text);
  return decodeReply(bytes, () => undefined).rows.map(([first]) => String(first));
}
