import { and, between, desc, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { countPending, type BatchPace, type CountedBatch } from '../../domain/batch/batch.ts';
import type { SampleFacts } from '../../domain/batch/prediction.ts';
import type { Orm } from '../database.ts';
import { batchItems } from '../schema/batches.ts';
import { enhancements } from '../schema/enhancements.ts';

/** Prices and times of the samples of a batch that have ended. */
export async function readSampleFacts(orm: Orm, id: string): Promise<SampleFacts> {
  const { batchId, sample, state, credits, startedAt, endedAt } = batchItems;
  const engineMs = sql<number | null>`(${enhancements.engine} ->> 'durationMs')::float8`;
  const rows = await orm
    .select({ state, credits, startedAt, endedAt, engineMs })
    .from(batchItems)
    .leftJoin(enhancements, eq(enhancements.id, batchItems.enhancementId))
    .where(and(eq(batchId, id), eq(sample, true), inArray(state, ['FINISHED', 'FAILED'])));
  const finished = rows.filter((row) => row.state === 'FINISHED');
  return {
    credits: finished.map((row) => row.credits ?? 0),
    failed: rows.length - finished.length,
    times: rows.flatMap((row) =>
      row.startedAt === null || row.endedAt === null
        ? []
        : [
            {
              startedAtMs: Date.parse(row.startedAt),
              endedAtMs: Date.parse(row.endedAt),
              // A file that is refused before an engine occupies none.
              engineMs: row.state === 'FAILED' ? 0 : row.engineMs,
            },
          ],
    ),
  };
}

/** Items whose ends give the pace of a batch, and positions around the last started one where they are looked for. */
const PACE = { items: 200, before: 300, after: 100 } as const;
/** Milliseconds without an end that interrupt a pace, as a pause does. */
const MAX_GAP_MS = 10 * 60_000;

/** Adds the pace of a running batch. Items start by position, so few rows are read. A retry takes items from anywhere. */
export async function withPace(orm: Orm, batch: CountedBatch): Promise<CountedBatch> {
  if (batch.status !== 'RUNNING' || batch.round > 0) return batch;
  const started = batch.items - countPending(batch);
  const { batchId, position, sample, endedAt } = batchItems;
  const rows = await orm
    .select({ endedAt })
    .from(batchItems)
    .where(
      and(
        eq(batchId, batch.id),
        between(position, started - PACE.before, started + PACE.after),
        eq(sample, false),
        isNotNull(endedAt),
      ),
    )
    .orderBy(desc(endedAt))
    .limit(PACE.items);
  return { ...batch, pace: paceOf(rows.map((row) => Date.parse(row.endedAt!))) };
}

/** @param endsMs milliseconds since the epoch, newest first */
function paceOf(endsMs: readonly number[]): BatchPace {
  const gap = endsMs.findIndex((end, n) => n > 0 && endsMs[n - 1]! - end > MAX_GAP_MS);
  const recent = gap < 0 ? endsMs : endsMs.slice(0, gap);
  if (recent.length < 2) return { items: 0, seconds: 0 };
  return { items: recent.length - 1, seconds: (recent[0]! - recent.at(-1)!) / 1000 };
}
