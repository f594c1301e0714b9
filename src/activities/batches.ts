import {
  countEnded,
  countPending,
  type BatchPauseReason,
  type BatchPrediction,
  priceOfImage,
  resolveImageParameters,
  Failure,
  DAY_MS,
} from '@burnish/contract';
import pLimit from 'p-limit';
import type { BatchProgress, RunningItem, StoredItem, BatchItems } from '../database/batches/batch-items.ts';
import { batchWindow, type BatchOwner, type ItemOrder } from '../domain/batch/batch-rules.ts';
import { predict, WARM_UP_SAMPLES } from '../domain/batch/prediction.ts';
import type { Input } from './inputs/schemas.ts';
import { announced, type AnnouncedDelivery } from './records.ts';
import type { Batches } from '../database/batches/batches.ts';
import type { Accounts } from '../database/accounts/accounts.ts';

/** Starts and ends the work of single items, through the commands that callers use too. Each call may be repeated. */
export interface BatchOrders {
  /**
   * @returns undefined if the upload of the item is not ready yet
   * @throws Failure; a retryable one leaves the item as it is
   */
  start(owner: BatchOwner, order: ItemOrder): Promise<{ uploadId: string; enhancementId: string } | undefined>;
  approve(accountId: string, item: RunningItem): Promise<void>;
  cancel(accountId: string, item: RunningItem): Promise<void>;
}

export interface BatchDeps {
  batches: Batches;
  batchItems: BatchItems;
  accounts: Accounts;
  batchOrders: BatchOrders;
}

export interface BatchAdvance extends BatchProgress {
  /** Number of items that started or ended */
  moved: number;
  /** Why the batch must pause; null: it continues */
  pause: BatchPauseReason | null;
  /** Whether samples are pending */
  samplesLeft: boolean;
}

type ItemsOrder = BatchOwner &
  Pick<Input<'advanceBatch'>, 'batchId' | 'parameters' | 'preset' | 'destination' | 'maxCredits'>;

const STARTS_AT_ONCE = 8;

/**
 * The steps of a batch. Items live in the database, so the workflow sees only numbers. Each step may be repeated after the
 * death of a worker at any point.
 */
export function createBatchActivities({ batches, batchItems, batchOrders, accounts }: BatchDeps) {
  return {
    async recordBatch(step: Input<'recordBatch'>): Promise<AnnouncedDelivery[]> {
      return announced(await batches.record(step));
    },

    async chooseBatchSamples({ batchId, samples }: Input<'chooseBatchSamples'>): Promise<void> {
      await batchItems.chooseSamples(batchId, samples);
    },

    async predictBatch({ accountId, batchId }: Input<'predictBatch'>): Promise<BatchPrediction | null> {
      const counts = await batchItems.progress(accountId, batchId);
      return counts === undefined ? null : predict(await batchItems.sampleFacts(batchId), counts);
    },

    /** Makes failed items pending, at most 5,000 of all or those with the given keys. @returns their number */
    async retryBatchItems({ batchId, keys }: Input<'retryBatchItems'>): Promise<number> {
      return batchItems.retryFailed(batchId, keys);
    },

    advanceBatch,
  };

  /** Records ended items and starts further ones. @returns null once the account or the batch is deleted */
  async function advanceBatch({
    batchId,
    accountId,
    stage,
    ...order
  }: Input<'advanceBatch'>): Promise<BatchAdvance | null> {
    const [account, plan, keyId] = await Promise.all([
      accounts.get(accountId),
      accounts.getPlanOfAccount(accountId),
      batches.keyOf(accountId, batchId),
    ]);
    if (account === undefined || plan === undefined || account.deletedAt !== null) return null;
    const owner = { account, plan, keyId };
    if ((await batchItems.progress(accountId, batchId)) === undefined) return null;
    await batchItems.forgetLost(batchId);
    const { settled, withoutCredits } = await batchItems.settle(batchId);
    const before = (await batchItems.progress(accountId, batchId))!;
    let [started, pause]: [number, BatchPauseReason | null] = [0, withoutCredits > 0 ? 'credits' : null];
    if (stage === 'cancel') started = await cancelAll({ batchId, ...order, ...owner });
    else if (stage !== 'none' && pause === null && account.suspendedAt === null) {
      ({ started, pause } = await startItems({ batchId, ...order, ...owner }, before, stage === 'samples'));
    }
    const after = (await batchItems.progress(accountId, batchId)) ?? before;
    const samplesLeft = stage === 'samples' && (await batchItems.hasPendingSamples(batchId));
    return { ...after, moved: settled + withoutCredits + started, pause, samplesLeft };
  }

  /** Cancels what waits, and asks for the end of what runs. @returns the number of cancelled items */
  async function cancelAll(order: ItemsOrder): Promise<number> {
    const { batchId, account } = order;
    // A worker may have died after the start of an item, and before its record.
    for (const item of await batchItems.unstarted(batchId)) {
      if (!(await startItem(order, item, null))) await batchItems.postpone(batchId, item.position);
    }
    let cancelled = 0;
    for (let some = -1; some !== 0; cancelled += Math.max(0, some)) some = await batchItems.cancelPending(batchId);
    const limit = pLimit(STARTS_AT_ONCE);
    const running = await batchItems.running(batchId);
    await Promise.all(running.map((item) => limit(() => batchOrders.cancel(account.id, item).catch(ignoreRefusal))));
    return cancelled;
  }

  async function startItems(
    order: ItemsOrder,
    before: BatchProgress,
    onlySamples: boolean,
  ): Promise<{ started: number; pause: BatchPauseReason | null }> {
    const { batchId, maxCredits, parameters } = order;
    const running = await batchItems.running(batchId);
    const earlier = await batchItems.unstarted(batchId);
    const ended = countEnded(before);
    const isWarmingUp = onlySamples && ended < WARM_UP_SAMPLES;
    const window = isWarmingUp ? WARM_UP_SAMPLES - ended : batchWindow(order.plan.fairnessWeight);
    let room = window - running.length - earlier.length;
    let blocked: RunningItem[] = [];
    // Pending items also wait for their uploads, which is no matter of the budget.
    let isSpent = false;
    const price = priceOfImage(resolveImageParameters(parameters));
    if (maxCredits !== null) {
      const budget = { left: maxCredits - before.chargedCredits - earlier.length * price, price };
      blocked = await decide(order.account.id, running, budget);
      const covered = price > 0 ? Math.floor(budget.left / price) : Infinity;
      room = Math.min(room, covered);
      isSpent = covered <= 0 || blocked.length > 0;
    }
    await batchItems.claim(batchId, room, onlySamples);
    const toStart = await batchItems.unstarted(batchId);
    if (toStart.length === 0 && running.length === blocked.length && isSpent) {
      for (const item of blocked) {
        await batchOrders.cancel(order.account.id, item).catch(ignoreRefusal);
        await batchItems.postpone(batchId, item.position);
      }
      return { started: 0, pause: blocked.length > 0 || (await isWaiting(order, onlySamples)) ? 'budget' : null };
    }
    const limit = pLimit(STARTS_AT_ONCE);
    const starts = toStart.map((item) => limit(() => startItem(order, item, maxCredits === null ? null : price)));
    const outcomes = await Promise.all(starts);
    return { started: outcomes.filter((isStarted) => isStarted).length, pause: null };
  }

  async function isWaiting({ batchId, account }: ItemsOrder, onlySamples: boolean): Promise<boolean> {
    if (onlySamples) return batchItems.hasPendingSamples(batchId);
    const counts = await batchItems.progress(account.id, batchId);
    return counts !== undefined && countPending(counts) > 0;
  }

  /** Approves estimates that the rest of the budget covers. @returns the others */
  async function decide(
    accountId: string,
    running: readonly RunningItem[],
    budget: { left: number; price: number },
  ): Promise<RunningItem[]> {
    const waits = ({ status }: RunningItem): boolean => status === 'AWAITING_APPROVAL';
    for (const item of running) budget.left -= waits(item) ? 0 : (item.estimatedCredits ?? budget.price);
    const blocked: RunningItem[] = [];
    for (const item of running.filter(waits)) {
      const price = item.estimatedCredits ?? Infinity;
      if (price > budget.left) blocked.push(item);
      else {
        await batchOrders.approve(accountId, item).catch(ignoreRefusal);
        budget.left -= price;
      }
    }
    return blocked;
  }

  async function startItem(
    {
      account,
      plan,
      keyId,
      parameters,
      preset,
      destination,
    }: BatchOwner & Pick<ItemOrder, 'parameters' | 'preset' | 'destination'>,
    item: StoredItem,
    maxCredits: number | null,
  ): Promise<boolean> {
    try {
      const owner = { account, plan, keyId };
      const started = await batchOrders.start(owner, { item, parameters, preset, destination, maxCredits });
      if (started === undefined) return false;
      await batchItems.started(item, started.uploadId, started.enhancementId);
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const waitedMs = Date.now() - Date.parse(item.startedAt ?? new Date().toISOString());
      if (error.retryable && waitedMs < DAY_MS) return false;
      await batchItems.refused(item, error.code);
      return true;
    }
  }
}

/** The enhancement has ended meanwhile, or its workflow is busy. The next step reads its record again. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}
