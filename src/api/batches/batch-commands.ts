import type { UpdateDefinition } from '@temporalio/common';
import {
  assertImageOrderAgrees,
  type AuditAction,
  DEFAULT_SAMPLES,
  hasEnded,
  type Batch,
  type CountedBatch,
  Failure,
  newId,
  nameField,
  nameFieldAsync,
  type ProviderName,
} from '@burnish/contract';
import type { AddedItems, Batches } from '../../database/batches/batches.ts';
import { assertDropsNoPages, bucketItem, type NewBatchItem } from '../../domain/batch/batch-rules.ts';
import * as messages from '../../domain/temporal/workflow-interface.ts';
import { assertScope, requireById } from '../commands/checks.ts';
import {
  auditEntry,
  orderingKey,
  type Caller,
  type IdempotencyKey,
  type TemporalClient,
} from '../commands/command-types.ts';
import { claimIdempotencyKey, fingerprint, keyedId, updateIdFor } from '../commands/idempotency.ts';
import {
  assertBucketKnown,
  assertTextReadable,
  type FindTextProgram,
} from '../enhancements/check-enhancement-order.ts';
import { applySaved } from '../enhancements/apply-saved.ts';
import { assertParametersAllowed } from '../uploads/check-order.ts';
import type { BatchOrder, BucketFiles } from './batch-schemas.ts';
import { listFiles } from './list-files.ts';
import { sendToBatch, startBatch } from './send-to-batch.ts';
import type { BatchItems } from '../../database/batches/batch-items.ts';
import type { FileUrls } from '../files/file-urls.ts';
import type { Buckets } from '../../database/accounts/buckets.ts';
import type { Looks } from '../../database/accounts/looks.ts';
import type { Presets } from '../../database/accounts/presets.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';
import type { AuditLog } from '../../database/accounts/audit-log.ts';
import type { SafeFetch } from '../../net/safe-fetch.ts';
import type { OpenAccountBucket } from '../../storage/s3/account-bucket.ts';

type BatchCommand = (caller: Caller, batchId: string, idempotencyKey: IdempotencyKey) => Promise<CountedBatch>;

export interface BatchCommandDeps {
  client: TemporalClient;
  batches: Batches;
  buckets: Buckets;
  looks: Looks;
  presets: Presets;
  textProgram: FindTextProgram;
  uploads: Uploads;
  idempotencyKeys: IdempotencyKeys;
  audit: AuditLog;
  /** Default provider of orders */
  provider: ProviderName;
  assertAllowedUrl: SafeFetch['assertAllowedUrl'];
  openBucket: OpenAccountBucket;
  /** Milliseconds since the epoch */
  now: () => number;
  /** Maximum duration of a command, in milliseconds */
  commandWaitMs: number;
}

/** @throws Failure CONFLICT for a batch that has ended with nothing to try again */
function assertFailedItems({ status, failed }: CountedBatch): void {
  if (status !== 'FINISHED' || failed > 0) return;
  throw new Failure('CONFLICT', { detail: 'The batch is FINISHED. The batch has no failed item.' });
}

/** Commands that create, fill and lead batches. */
export function createBatchCommands(deps: BatchCommandDeps) {
  const read = ({ account }: Caller, batchId: string): Promise<CountedBatch> =>
    requireById('bat', batchId, (id) => deps.batches.get(account.id, id));

  async function send<Args extends unknown[]>(
    caller: Caller,
    batchId: string,
    idempotencyKey: IdempotencyKey,
    { update, args, audit }: { update: UpdateDefinition<Batch, Args>; args: Args; audit?: AuditAction },
  ): Promise<CountedBatch> {
    const { id: accountId } = caller.account;
    const batch = await read(caller, batchId);
    const claim = { operation: update.name, fingerprint: fingerprint({ batchId, args }), subjectId: batchId };
    const isReplayed = await claimIdempotencyKey(deps.idempotencyKeys, { accountId, idempotencyKey, ...claim });
    if (update === (messages.retryBatch as unknown) && !(isReplayed && batch.round > 0)) assertFailedItems(batch);
    const updateId = updateIdFor(accountId, `${update.name} ${batchId}`, idempotencyKey);
    const outcome = await sendToBatch(deps, { batch, plan: caller.plan }, { update, args, updateId });
    const now = await read(caller, batchId);
    if (outcome.kind === 'ended' && !(now.status === 'CANCELLED' && update === (messages.cancelBatch as unknown))) {
      throw new Failure('CONFLICT', { detail: `The batch is ${now.status} and no longer accepts this command.` });
    }
    if (audit !== undefined) {
      await deps.audit.record(auditEntry(caller, { action: audit, subjectId: batchId, once: true }));
    }
    return now;
  }

  const command =
    (update: UpdateDefinition<Batch, []>, audit?: AuditAction): BatchCommand =>
    (caller, batchId, idempotencyKey) =>
      send(caller, batchId, idempotencyKey, { update, args: [], ...(audit && { audit }) });

  async function assertInputsKnown(accountId: string, items: readonly NewBatchItem[]): Promise<void> {
    const ids = items.flatMap(({ url, bucket, uploadId }) => (url === null && !bucket ? (uploadId ?? []) : []));
    const known = await deps.uploads.getMany(accountId, ids);
    const buckets = new Set<string>();
    for (const [index, { url, bucket, uploadId }] of items.entries()) {
      if (url !== null) nameField(`[${index}].url`, () => deps.assertAllowedUrl(url));
      else if (bucket) {
        if (!buckets.has(bucket)) await assertBucketKnown(deps, accountId, bucket, `[${index}].bucket`);
        buckets.add(bucket);
      } else if (!known.has(uploadId ?? '')) {
        const detail = `The account has no upload with the id ${uploadId}. Send the id of one that it has.`;
        throw new Failure('BAD_USER_INPUT', { field: `[${index}].uploadId`, detail });
      }
    }
  }

  return {
    async createBatch(caller: Caller, order: BatchOrder, idempotencyKey: IdempotencyKey): Promise<CountedBatch> {
      const { id: accountId } = caller.account;
      const { enhancements, maxCredits = null, samples = DEFAULT_SAMPLES, reference = null } = order;
      const { preset: ordersPreset, destination = null, ...ordered } = enhancements[0]!;
      const given = { parameters: ordered, ...(ordersPreset !== undefined && { preset: ordersPreset }) };
      const { parameters, preset } = await nameFieldAsync('enhancements[0].', async () => {
        const applied = await applySaved(deps, caller, given);
        assertParametersAllowed(caller, applied.parameters, null);
        assertImageOrderAgrees(applied.parameters, deps.provider);
        await assertTextReadable(deps, applied.parameters);
        assertDropsNoPages(applied.parameters);
        if (destination !== null) {
          assertScope(caller, 'destinations', 'destination');
          await assertBucketKnown(deps, accountId, destination.bucket, 'destination.bucket');
        }
        return { parameters: applied.parameters, preset: applied.appliedPreset ?? null };
      });
      const print = fingerprint(order);
      const id = idempotencyKey === null ? newId('bat', deps.now()) : keyedId('bat', accountId, idempotencyKey, print);
      const claim = { operation: 'createBatch', fingerprint: print, subjectId: id };
      await claimIdempotencyKey(deps.idempotencyKeys, { accountId, idempotencyKey, ...claim });
      const recorded = { id, accountId, parameters, preset, destination, maxCredits, samples, reference };
      const batch = await deps.batches.create(recorded, orderingKey(caller));
      if (!hasEnded(batch)) await startBatch(deps.client, batch.accountId, batch, caller.plan);
      return batch;
    },

    /**
     * Adds items; those with a known key count once.
     * @throws Failure with a field such as `[3].url`, which names the item. Earlier items may be added then.
     */
    async addBatchItems(
      caller: Caller,
      batchId: string,
      items: readonly NewBatchItem[],
      idempotencyKey: IdempotencyKey,
    ): Promise<AddedItems> {
      const batch = await read(caller, batchId);
      const { id: accountId } = caller.account;
      const claim = { operation: 'addBatchItems', fingerprint: fingerprint({ batchId, items }), subjectId: batchId };
      await claimIdempotencyKey(deps.idempotencyKeys, { accountId, idempotencyKey, ...claim });
      await assertInputsKnown(accountId, items);
      return deps.batches.addItems(accountId, batch.id, items);
    },

    /**
     * Adds the files of a registered bucket as items, in the order of their keys. A repetition adds missing files.
     * @throws Failure BAD_USER_INPUT, BUCKET_REFUSED, UNAVAILABLE. Earlier items may be added then.
     */
    async addBatchPrefix(
      caller: Caller,
      batchId: string,
      files: BucketFiles,
      idempotencyKey: IdempotencyKey,
    ): Promise<AddedItems> {
      const batch = await read(caller, batchId);
      const { id: accountId } = caller.account;
      const { bucket, prefix = '' } = files;
      await assertBucketKnown(deps, accountId, bucket, 'bucket');
      const print = fingerprint({ batchId, bucket, prefix });
      const claim = { operation: 'addBatchPrefix', fingerprint: print, subjectId: batchId };
      await claimIdempotencyKey(deps.idempotencyKeys, { accountId, idempotencyKey, ...claim });
      const total = { added: 0, repeated: 0 };
      for await (const keys of listFiles(deps, accountId, { bucket, prefix })) {
        const items = keys.map((objectKey) => bucketItem(bucket, objectKey, null));
        const { added, repeated } = await deps.batches.addItems(accountId, batch.id, items);
        total.added += added;
        total.repeated += repeated;
      }
      return total;
    },

    /** Tells the workflow about new items, if there are any. @returns the count of items, as given */
    async announceBatchItems(caller: Caller, batchId: string, items: AddedItems): Promise<AddedItems> {
      if (items.added === 0) return items;
      const batch = await read(caller, batchId);
      if (hasEnded(batch)) return items;
      await startBatch(deps.client, batch.accountId, batch, caller.plan);
      // The workflow looks for items by itself, so a lost signal only delays them.
      const handle = deps.client.workflow.getHandle(messages.batchWorkflowId(batchId));
      await handle.signal(messages.batchItemsAdded).catch(() => undefined);
      return items;
    },

    closeBatch: command(messages.closeBatch),
    approveBatch: command(messages.approveBatch, 'batch.approve'),
    pauseBatch: command(messages.pauseBatch),
    /** @param maxCredits replaces the budget; absent: unchanged */
    resumeBatch: (
      caller: Caller,
      batchId: string,
      maxCredits: number | undefined,
      idempotencyKey: IdempotencyKey,
    ): Promise<CountedBatch> =>
      send(caller, batchId, idempotencyKey, {
        update: messages.resumeBatch,
        args: [maxCredits === undefined ? {} : { maxCredits }],
      }),
    cancelBatch: command(messages.cancelBatch, 'batch.cancel'),
    /** @param keys of items; absent: all failed items */
    retryBatch: (
      caller: Caller,
      batchId: string,
      keys: readonly string[] | undefined,
      idempotencyKey: IdempotencyKey,
    ): Promise<CountedBatch> =>
      send(caller, batchId, idempotencyKey, {
        update: messages.retryBatch,
        args: keys === undefined ? [] : [{ keys }],
      }),
  };
}

/** What the operations and the fields of this resource use. */
export interface BatchNeeds {
  batches: Batches;
  batchItems: BatchItems;
  urls: FileUrls;
  commands: ReturnType<typeof createBatchCommands>;
}
