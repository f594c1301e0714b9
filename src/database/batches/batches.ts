import { createHash } from 'node:crypto';
import { and, asc, eq, getTableColumns, gt, inArray, lt, notInArray } from 'drizzle-orm';
import {
  BATCH_LIMITS,
  hasEnded,
  type Batch,
  type CountedBatch,
  counted,
  batchEventData,
  type BatchEventKind,
  Failure,
  derivedId,
} from '@burnish/contract';
import { initialBatch, type BatchTerms, type NewBatchItem } from '../../domain/batch/batch-rules.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { lockAccount } from '../credits/credit-movements.ts';
import { afterTime, newestFirst, rowsToAskFor, timeCursor, toPage, type Page, type PageRequest } from '../page.ts';
import { batches, batchItems } from '../schema/batches.ts';
import { withPaces } from './batch-times.ts';
import { storedKey, toStoredItem, withUrl } from './item-urls.ts';
import type { PlannedDelivery } from '../step.ts';
import { createEventRecorder } from '../webhooks/event-recorder.ts';

/** What callers and workflows know of a batch. */
const { keyId: _keyId, ...RECORD } = getTableColumns(batches);
const isOpen = notInArray(batches.status, ['FINISHED', 'CANCELLED']);

/** A step of a batch: its state, and an event with the numbers of its items. */
export interface BatchStep {
  batch: Batch;
  announce: { kind: BatchEventKind; eventKey: string; created: string } | null;
}

export interface AddedItems {
  added: number;
  /** Lines with the key of an equal earlier item */
  repeated: number;
}

export type Batches = ReturnType<typeof createBatches>;

/** Batches and their inputs. The workflow of a batch writes its state; requests add items. */
export function createBatches({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  return {
    /**
     * Records a batch; a repetition with the same id changes nothing.
     * @param keyId of the API key that creates it; null for a workflow
     * @throws Failure RATE_LIMITED when too many batches of the account are open
     */
    async create(given: BatchTerms, keyId: string | null): Promise<CountedBatch> {
      const { id, accountId } = given;
      await orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        if ((await tx.$count(batches, eq(batches.id, id))) > 0) return;
        if ((await tx.$count(batches, and(eq(batches.accountId, accountId), isOpen))) >= BATCH_LIMITS.open) {
          const detail = `At most ${BATCH_LIMITS.open} batches of the account may be open at the same time. Wait for the end of one, or cancel one.`;
          throw new Failure('RATE_LIMITED', { detail, retryAfterSeconds: 60 });
        }
        await tx.insert(batches).values({ ...initialBatch(given, new Date(now()).toISOString()), keyId });
      });
      return (await this.get(accountId, id))!;
    },

    async get(accountId: string, id: string): Promise<CountedBatch | undefined> {
      const [batch] = await orm
        .select(RECORD)
        .from(batches)
        .where(and(eq(batches.accountId, accountId), eq(batches.id, id)));
      return batch && (await withPaces(orm, [batch]))[0];
    },

    /** The API key that created a batch; null: unknown. */
    async keyOf(accountId: string, id: string): Promise<string | null> {
      const [row] = await orm
        .select({ keyId: batches.keyId })
        .from(batches)
        .where(and(eq(batches.accountId, accountId), eq(batches.id, id)));
      return row?.keyId ?? null;
    },

    /** Batches of an account, newest first. */
    async list(accountId: string, request: PageRequest): Promise<Page<CountedBatch>> {
      const limit = rowsToAskFor(request);
      const after = timeCursor.decode(request.after);
      const rows = await orm
        .select(RECORD)
        .from(batches)
        .where(and(eq(batches.accountId, accountId), afterTime(batches.createdAt, batches.id, after)))
        .orderBy(...newestFirst(batches.createdAt, batches.id))
        .limit(limit);
      return toPage(await withPaces(orm, rows), request, (last) => timeCursor.encode([last.createdAt, last.id]));
    },

    /** Open batches of all accounts, by id. */
    async listOpen(afterId: string, limit: number): Promise<CountedBatch[]> {
      return orm
        .select(RECORD)
        .from(batches)
        .where(and(isOpen, gt(batches.id, afterId)))
        .orderBy(asc(batches.id))
        .limit(limit);
    },

    /**
     * Writes the state of a batch, unless the record has a newer one, and records its event once.
     * @returns the deliveries of the event
     */
    async record({ batch: { id, accountId, ...state }, announce }: BatchStep): Promise<PlannedDelivery[]> {
      return orm.transaction(async (tx) => {
        await tx
          .update(batches)
          .set(state)
          .where(and(eq(batches.id, id), eq(batches.accountId, accountId), lt(batches.revision, state.revision)));
        if (announce === null) return [];
        const [recorded] = await tx.select(RECORD).from(batches).where(eq(batches.id, id));
        if (recorded === undefined) return [];
        const { kind, eventKey, created } = announce;
        // A workflow that is older than its record ends too early: the event belongs to the real end.
        if (kind === 'batch.ended' && recorded.round === state.round && !hasEnded(recorded)) return [];
        const eventId = derivedId('evt', createHash('sha256').update(`${id}\n${eventKey}`).digest());
        const event = { id: eventId, event: kind, data: batchEventData(recorded), created };
        return createEventRecorder(tx, now).recordEvent(accountId, event, null);
      });
    },

    /**
     * Adds items. A key that the batch has already is not added again.
     * @throws Failure NOT_FOUND; CONFLICT for a closed batch; BAD_USER_INPUT for a full one, or for the key of another input
     */
    addItems(accountId: string, batchId: string, items: readonly NewBatchItem[]): Promise<AddedItems> {
      const given = items.map((item) => ({ item, key: storedKey(item) }));
      return orm.transaction(async (tx) => {
        const [batch] = await tx
          .select(RECORD)
          .from(batches)
          .where(and(eq(batches.accountId, accountId), eq(batches.id, batchId)))
          .for('update');
        if (batch === undefined) throw new Failure('NOT_FOUND');
        const earlier = await tx
          .select(getTableColumns(batchItems))
          .from(batchItems)
          .where(
            and(
              eq(batchItems.batchId, batchId),
              inArray(
                batchItems.key,
                given.map(({ key }) => key),
              ),
            ),
          );
        const known = new Map<string, NewBatchItem>(earlier.map((each) => [each.key, withUrl(vault, each)]));
        const fresh = given.flatMap(({ item, key }) => {
          const same = known.get(key);
          if (same !== undefined) assertSameInput(same, item);
          else known.set(key, item);
          return same === undefined ? [item] : [];
        });
        const outcome = { added: fresh.length, repeated: given.length - fresh.length };
        if (fresh.length === 0) return outcome;
        assertAccepts(batch, fresh.length);
        await tx.insert(batchItems).values(
          fresh.map((item, index) => {
            const row = { batchId, position: batch.items + index };
            return { ...toStoredItem(vault, item, row), ...row };
          }),
        );
        await tx
          .update(batches)
          .set({ items: batch.items + fresh.length })
          .where(eq(batches.id, batchId));
        return outcome;
      });
    },
  };
}

function assertSameInput(earlier: NewBatchItem, item: NewBatchItem): void {
  const [bucket, own] = [earlier.bucket ?? null, item.bucket ?? null];
  const isGiven = item.url !== null || own !== null || earlier.uploadId === item.uploadId;
  const isSame = earlier.url === item.url && bucket === own && isGiven;
  if (isSame && earlier.reference === item.reference) return;
  const detail = `The batch has another input with the key ${JSON.stringify(item.key)}. Choose another key.`;
  throw new Failure('BAD_USER_INPUT', { field: 'key', detail });
}

function assertAccepts(batch: CountedBatch, fresh: number): void {
  if (batch.closedAt !== null || hasEnded(batch) || batch.status === 'CANCELLING') {
    const state = batch.closedAt === null ? batch.status : 'closed';
    const detail = `The batch is ${state} and no longer accepts items. Create another batch.`;
    throw new Failure('CONFLICT', { detail });
  }
  if (batch.items + fresh > BATCH_LIMITS.items) {
    const detail = `A batch has at most ${counted(BATCH_LIMITS.items, 'item')}. Create another batch for the rest.`;
    throw new Failure('BAD_USER_INPUT', { detail });
  }
}
