import { and, between, count, desc, eq, inArray, isNotNull, not, sql } from 'drizzle-orm';
import { alias, unionAll } from 'drizzle-orm/pg-core';
import { countPending, type BatchPace, type CountedBatch } from '@burnish/contract';
import type { SampleFacts } from '../../domain/batch/prediction.ts';
import type { Orm } from '../database.ts';
import { batchItems } from '../schema/batches.ts';
import { enhancements } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';

/** Whether an item is an upload that has failed, so that it costs nothing. */
const isUnreadable = sql<boolean>`coalesce(${batchItems.url} is null and ${batchItems.bucket} is null and
  (u.status in ('UPLOAD_FAILED', 'UPLOAD_DELETED') or u.sub_status = 'METADATA_ANALYZED_FAILED'), false)`;

/** Prices and times of the samples of a batch that have ended, and the failed uploads among its items. */
export async function readSampleFacts(orm: Orm, id: string): Promise<SampleFacts> {
  const { batchId, sample, state, credits, startedAt, endedAt, enhancementId, uploadId } = batchItems;
  const u = alias(uploads, 'u');
  const engineMs = sql<number | null>`(${enhancements.engine} ->> 'durationMs')::float8`;
  const hasEnded = inArray(state, ['FINISHED', 'FAILED']);
  const rows = await orm
    .select({ state, credits, startedAt, endedAt, engineMs, isUnreadable })
    .from(batchItems)
    .leftJoin(enhancements, eq(enhancements.id, enhancementId))
    .leftJoin(u, eq(u.id, uploadId))
    .where(and(eq(batchId, id), eq(sample, true), hasEnded));
  const [further] = await orm
    .select({ unreadable: count() })
    .from(batchItems)
    .innerJoin(u, eq(u.id, uploadId))
    .where(and(eq(batchId, id), not(and(eq(sample, true), hasEnded)!), isUnreadable));
  const [finished, failed] = [
    rows.filter((row) => row.state === 'FINISHED'),
    rows.filter((row) => row.state === 'FAILED'),
  ];
  return {
    credits: finished.map((row) => row.credits ?? 0),
    failed: failed.length,
    unreadable: failed.filter((row) => row.isUnreadable).length,
    knownUnreadable: further!.unreadable,
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

/**
 * Adds the pace of each running batch, by one statement for all. Items start by position, so few rows are read. A retry takes items
 * from anywhere.
 */
export async function withPaces(orm: Orm, given: readonly CountedBatch[]): Promise<CountedBatch[]> {
  const running = given.filter(({ status, round }) => status === 'RUNNING' && round === 0);
  if (running.length === 0) return [...given];
  const { batchId, position, sample, endedAt } = batchItems;
  const ofBatch = running.map((batch) => {
    const started = batch.items - countPending(batch);
    return orm
      .select({ id: batchId, endedAt })
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
  });
  const [first, second, ...others] = ofBatch;
  const rows = await (second === undefined ? first! : unionAll(first!, second, ...others));
  const endsOf = new Map(running.map(({ id }) => [id, [] as number[]]));
  for (const row of rows) endsOf.get(row.id)!.push(Date.parse(row.endedAt!));
  return given.map((batch) => {
    const ends = endsOf.get(batch.id);
    return ends === undefined ? batch : { ...batch, pace: measurePace(ends.sort((a, b) => b - a)) };
  });
}

/** @param endsMs milliseconds since the epoch, newest first */
function measurePace(endsMs: readonly number[]): BatchPace {
  const gap = endsMs.findIndex((end, n) => n > 0 && endsMs[n - 1]! - end > MAX_GAP_MS);
  const recent = gap < 0 ? endsMs : endsMs.slice(0, gap);
  if (recent.length < 2) return { items: 0, seconds: 0 };
  return { items: recent.length - 1, seconds: (recent[0]! - recent.at(-1)!) / 1000 };
}
