import { and, asc, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import type { BatchCounts, BatchItemState, EnhancementStatus, FailureCode } from '@burnish/contract';
import type { SampleFacts } from '../../domain/batch/prediction.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { batches, batchItems } from '../schema/batches.ts';
import { enhancements } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';
import { readSampleFacts } from './batch-times.ts';
import { possibleKeys, withUrl } from './item-urls.ts';
import { listItems, type ItemRange, type ListedItem } from './item-list.ts';

export type StoredItem = typeof batchItems.$inferSelect;

/** A running item with its enhancement. */
export interface RunningItem {
  position: number;
  enhancementId: string;
  uploadId: string;
  status: EnhancementStatus;
  estimatedCredits: number | null;
}

export interface Settled {
  settled: number;
  /** Items that are pending again, because the account had too few credits */
  withoutCredits: number;
}

export interface BatchProgress extends BatchCounts {
  /** Whether the record of the batch accepts no further items */
  closed: boolean;
}

export type BatchItems = ReturnType<typeof createBatchItems>;

/** Rows that one statement changes at most, so that it stays short. */
const CHUNK = 5_000;

const isArriving = sql`(u.status in ('UPLOAD_PENDING', 'UPLOAD_PROCESSING') or u.sub_status = 'METADATA_ANALYZING')`;

/** The state of the items of batches. Each change of an item also changes the numbers of its batch, in one statement. */
export function createBatchItems({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  /**
   * Changes items and the numbers of their batch.
   * @param was the state of all items before the change
   * @param change an update of items that returns their `state` and `credits`
   */
  async function move(batchId: string, was: BatchItemState, change: SQL): Promise<Record<string, number>> {
    const of = (state: BatchItemState): SQL => sql`count(*) filter (where state = ${state})::integer`;
    const minus = (state: BatchItemState): SQL => (state === was ? sql`- tally.total` : sql``);
    const { rows } = await orm.execute<Record<string, number>>(sql`
      with changed as (${change}),
      tally as (
        select count(*)::integer as total, ${of('RUNNING')} as running, ${of('FINISHED')} as finished,
          ${of('FAILED')} as failed, ${of('CANCELLED')} as cancelled, coalesce(sum(credits), 0)::integer as credits
        from changed
      )
      update batches set running = batches.running + tally.running ${minus('RUNNING')},
        finished = batches.finished + tally.finished ${minus('FINISHED')},
        failed = batches.failed + tally.failed ${minus('FAILED')},
        cancelled = batches.cancelled + tally.cancelled ${minus('CANCELLED')},
        charged_credits = batches.charged_credits + tally.credits
      from tally where batches.id = ${batchId} and tally.total > 0
      returning tally.*`);
    return rows[0] ?? { total: 0, running: 0, finished: 0, failed: 0, cancelled: 0, credits: 0 };
  }

  const again = sql`state = 'PENDING', attempt = attempt + 1, enhancement_id = null, error_code = null, started_at = null,
    ended_at = null, upload_id = case when url is null and bucket is null then upload_id end`;

  return {
    /** @returns undefined for an unknown batch, and for one of another account */
    async progress(accountId: string, batchId: string): Promise<BatchProgress | undefined> {
      const { items, running, finished, failed, cancelled, chargedCredits, closedAt } = batches;
      const [row] = await orm
        .select({ items, running, finished, failed, cancelled, chargedCredits, closedAt })
        .from(batches)
        .where(and(eq(batches.accountId, accountId), eq(batches.id, batchId)));
      if (row === undefined) return undefined;
      const { closedAt: at, ...counts } = row;
      return { ...counts, closed: at !== null };
    },

    /**
     * Chooses the samples of a closed batch, once. The order of kind, size and position is cut into equal groups, and each
     * group gives one item by chance: equal distances would meet an order of the inputs that repeats. A URL and a key
     * show their kind by their ending, and no size.
     */
    async chooseSamples(batchId: string, wanted: number): Promise<void> {
      await orm.execute(sql`
        with ordered as (
          select i.position, row_number() over (
            order by coalesce(u.file ->> 'mimetype', lower(substring(coalesce(i.url, i.key) from '\\.([A-Za-z]{3,4})(?:[?#]|$)'))),
              (u.file ->> 'size')::bigint, i.position
          ) - 1 as ordinal, count(*) over () as total
          from ${batchItems} i left join ${uploads} u on i.url is null and i.bucket is null and u.id = i.upload_id
          where i.batch_id = ${batchId}
        ),
        grouped as (
          select position, row_number() over (
            partition by floor(ordinal * ${wanted}::integer / total::numeric) order by md5(${batchId} || position)
          ) as rank from ordered
        )
        update ${batchItems} item set sample = true from grouped
        where item.batch_id = ${batchId} and item.position = grouped.position and grouped.rank = 1
          and not exists (select 1 from ${batchItems} chosen where chosen.batch_id = ${batchId} and chosen.sample)`);
    },

    /** Records the ends of running items, as the records of their enhancements show them. */
    async settle(batchId: string): Promise<Settled> {
      const at = new Date(now()).toISOString();
      const ended = await move(
        batchId,
        'RUNNING',
        sql`
        update ${batchItems} item set
          state = case e.status when 'FINISHED' then 'FINISHED' when 'CANCELLED' then 'CANCELLED' else 'FAILED' end,
          credits = coalesce(e.charged_credits, 0), error_code = e.error_code, ended_at = coalesce(e.finished_at, ${at}::timestamptz)
        from ${enhancements} e
        where item.batch_id = ${batchId} and item.state = 'RUNNING' and e.id = item.enhancement_id
          and e.status in ('FINISHED', 'ERROR', 'CANCELLED') and e.error_code is distinct from 'INSUFFICIENT_CREDITS'
        returning item.state, item.credits`,
      );
      const unpaid = await move(
        batchId,
        'RUNNING',
        sql`
        update ${batchItems} set ${again}
        where batch_id = ${batchId} and state = 'RUNNING' and exists (
          select 1 from ${enhancements} e where e.id = enhancement_id and e.error_code = 'INSUFFICIENT_CREDITS'
        ) returning state, 0 as credits`,
      );
      return { settled: ended['total']!, withoutCredits: unpaid['total']! };
    },

    /**
     * Items that are about to start, with their complete URLs: claimed earlier, by a worker that may have died, or with a
     * lost start.
     */
    async unstarted(batchId: string): Promise<StoredItem[]> {
      const rows = await orm
        .select()
        .from(batchItems)
        .where(and(eq(batchItems.batchId, batchId), eq(batchItems.state, 'RUNNING'), isNull(batchItems.enhancementId)))
        .orderBy(asc(batchItems.position));
      return rows.map((row) => withUrl(vault, row));
    },

    /** Makes up to `limit` pending items RUNNING. An item waits until its upload is ready, or has failed. */
    async claim(batchId: string, limit: number, onlySamples: boolean): Promise<void> {
      if (limit <= 0) return;
      await move(
        batchId,
        'PENDING',
        sql`
        update ${batchItems} set state = 'RUNNING', started_at = ${new Date(now()).toISOString()}::timestamptz
        where batch_id = ${batchId} and state = 'PENDING' and position in (
          select position from ${batchItems}
          where batch_id = ${batchId} and state = 'PENDING' ${onlySamples ? sql`and sample` : sql``}
            and (url is not null or not exists (select 1 from ${uploads} u where u.id = upload_id and ${isArriving}))
          order by position limit ${limit}
        ) returning state, 0 as credits`,
      );
    },

    async hasPendingSamples(batchId: string): Promise<boolean> {
      const rows = await orm
        .select({ position: batchItems.position })
        .from(batchItems)
        .where(and(eq(batchItems.batchId, batchId), eq(batchItems.state, 'PENDING'), eq(batchItems.sample, true)))
        .limit(1);
      return rows.length > 0;
    },

    async started({ batchId, position, attempt }: StoredItem, uploadId: string, enhancementId: string): Promise<void> {
      await orm
        .update(batchItems)
        .set({ uploadId, enhancementId })
        .where(
          and(
            eq(batchItems.batchId, batchId),
            eq(batchItems.position, position),
            eq(batchItems.attempt, attempt),
            eq(batchItems.state, 'RUNNING'),
          ),
        );
    },

    /** Ends an item that cannot start. */
    async refused({ batchId, position, attempt }: StoredItem, errorCode: FailureCode): Promise<void> {
      await move(
        batchId,
        'RUNNING',
        sql`
        update ${batchItems} set state = 'FAILED', credits = 0, error_code = ${errorCode},
          ended_at = ${new Date(now()).toISOString()}::timestamptz
        where batch_id = ${batchId} and position = ${position} and attempt = ${attempt} and state = 'RUNNING'
        returning state, credits`,
      );
    },

    /** Makes a running item pending again, for a new attempt. */
    async postpone(batchId: string, position: number): Promise<void> {
      await move(
        batchId,
        'RUNNING',
        sql`
        update ${batchItems} set ${again}
        where batch_id = ${batchId} and position = ${position} and state = 'RUNNING' returning state, 0 as credits`,
      );
    },

    /** Running items with their enhancements, by position. */
    async running(batchId: string): Promise<RunningItem[]> {
      const { id, uploadId, status, estimatedCredits } = enhancements;
      const { position } = batchItems;
      return orm
        .select({ position, enhancementId: id, uploadId, status, estimatedCredits })
        .from(batchItems)
        .innerJoin(enhancements, eq(id, batchItems.enhancementId))
        .where(and(eq(batchItems.batchId, batchId), eq(batchItems.state, 'RUNNING')))
        .orderBy(asc(position));
    },

    /** Forgets starts without a record, which a sweep has withdrawn. They start again. */
    async forgetLost(batchId: string): Promise<void> {
      await orm.execute(sql`
        update ${batchItems} set enhancement_id = null
        where batch_id = ${batchId} and state = 'RUNNING' and enhancement_id is not null
          and not exists (select 1 from ${enhancements} e where e.id = enhancement_id)`);
    },

    /** Cancels pending items; at most 5,000. @returns their number */
    async cancelPending(batchId: string): Promise<number> {
      const { total } = await move(
        batchId,
        'PENDING',
        sql`
        update ${batchItems} set state = 'CANCELLED', credits = 0, ended_at = ${new Date(now()).toISOString()}::timestamptz
        where batch_id = ${batchId} and state = 'PENDING' and position in (
          select position from ${batchItems} where batch_id = ${batchId} and state = 'PENDING' limit ${CHUNK}
        ) returning state, credits`,
      );
      return total!;
    },

    /**
     * Makes failed items pending; at most 5,000.
     * @param keys as their account sees them; absent: any
     * @returns their number
     */
    async retryFailed(batchId: string, keys?: readonly string[]): Promise<number> {
      const isWanted = keys === undefined ? sql`true` : inArray(batchItems.key, ['', ...keys.flatMap(possibleKeys)]);
      const { total } = await move(
        batchId,
        'FAILED',
        sql`
        update ${batchItems} set ${again}
        where batch_id = ${batchId} and state = 'FAILED' and position in (
          select position from ${batchItems} where batch_id = ${batchId} and state = 'FAILED' and ${isWanted} limit ${CHUNK}
        ) returning state, 0 as credits`,
      );
      return total!;
    },

    sampleFacts: (batchId: string): Promise<SampleFacts> => readSampleFacts(orm, batchId),

    list: (batchId: string, range: ItemRange): Promise<ListedItem[]> => listItems(orm, vault, batchId, range),
  };
}
