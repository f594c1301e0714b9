import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { isTerminal, type EnhancementStatus, type UploadStatus } from '@burnish/contract';
import { COUNTED_AT_MOST, type CreditSums, type StateCount } from '../../database/state-counts.ts';
import { within } from '../../process/within.ts';

export interface StateCountsReader {
  uploads(): Promise<StateCount<UploadStatus>[]>;
  enhancements(): Promise<StateCount<EnhancementStatus>[]>;
  credits(nowMs: number): Promise<CreditSums>;
}

export interface DatabaseMetricsDeps {
  now: () => number;
  log: Pick<Logger, 'warn'>;
}

/** Minimum interval in milliseconds between two reads of the database, regardless of the number of readers. */
const KEPT_MS = 5_000;
/** Time in milliseconds after which a database without a response counts as down. */
const PATIENCE_MS = 3_000;

type Counts = Awaited<ReturnType<typeof readAll>>;

/**
 * Gauges that read the database on demand. While it does not respond they are absent, and `burnish_database_up` is 0.
 * The rest of the registry remains readable.
 */
export function createDatabaseMetrics(
  registry: Registry,
  counts: StateCountsReader,
  { now, log }: DatabaseMetricsDeps,
): void {
  let asking: Promise<Counts> | undefined;
  const refresh = keptFor(KEPT_MS, now, async () => {
    // A pending query is shared instead of repeated.
    asking ??= readAll(counts, now()).finally(() => (asking = undefined));
    const found = await within<Counts | undefined>(PATIENCE_MS, () => undefined, asking).catch((error: unknown) => {
      log.warn({ err: error }, 'the database could not be asked for metrics');
      return undefined;
    });
    for (const each of all) each.reset();
    up.set(found === undefined ? 0 : 1);
    if (found !== undefined) show(found);
  });
  // All gauges share one read, since a registry reads its gauges concurrently.
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
    new Gauge({ name, help, labelNames, registers: [registry], collect: refresh });
  const count = `counted to ${COUNTED_AT_MOST} for each`;
  const up = gauge('burnish_database_up', 'Whether the database answered when it was last asked');
  const uploads = gauge('burnish_uploads', `Uploads that have not been deleted, by status; ${count}`, 'status');
  const enhancements = gauge('burnish_enhancements', `Enhancements by status; ${count}`, 'status');
  const oldestUpload = gauge(
    'burnish_upload_oldest_age_seconds',
    'Age of the oldest upload in a status that it should leave soon; 0 where there is none',
    'status',
  );
  const oldestEnhancement = gauge(
    'burnish_enhancement_oldest_age_seconds',
    'Age of the oldest enhancement in a status that is not its last; 0 where there is none',
    'status',
  );
  const credits = gauge('burnish_credits', 'Credits of all accounts in the current period, by kind', 'kind');
  const all = [uploads, enhancements, oldestUpload, oldestEnhancement, credits];

  function show(found: Counts): void {
    const toAge = (oldestMs: number | null): number => (oldestMs === null ? 0 : Math.max(0, now() - oldestMs) / 1000);
    for (const { status, count, oldestMs } of found.uploads) {
      uploads.set({ status }, count);
      const leavesSoon = status === 'UPLOAD_PENDING' || status === 'UPLOAD_PROCESSING';
      if (leavesSoon) oldestUpload.set({ status }, toAge(oldestMs));
    }
    for (const { status, count, oldestMs } of found.enhancements) {
      enhancements.set({ status }, count);
      if (!isTerminal(status)) oldestEnhancement.set({ status }, toAge(oldestMs));
    }
    const { granted, toppedUp, reserved, used } = found.credits;
    for (const [kind, value] of Object.entries({ granted, topped_up: toppedUp, reserved, used })) {
      credits.set({ kind }, value);
    }
  }
}

/** Runs the queries one after the other, so that it uses one connection. */
async function readAll(counts: StateCountsReader, nowMs: number) {
  const uploads = await counts.uploads();
  const enhancements = await counts.enhancements();
  return { uploads, enhancements, credits: await counts.credits(nowMs) };
}

/** Caches a result for a time, also after the clock was set back; concurrent readers share a pending read. */
function keptFor<T>(forMs: number, now: () => number, read: () => Promise<T>): () => Promise<T> {
  let kept: { at: number; answer: Promise<T> } | undefined;
  return () => {
    if (kept === undefined || Math.abs(now() - kept.at) >= forMs) kept = { at: now(), answer: read() };
    return kept.answer;
  };
}
