import { randomUUID } from 'node:crypto';
import { runAtInterval } from '../../process/run-at-interval.ts';
import { deleteAccounts } from './delete-accounts.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { compareSuspects, reconcile } from './reconcile.ts';
import { createLossWatch } from './loss-watch.ts';
import { createDeletionRepeats } from './repeat-deletions.ts';
import { createClaimReturns } from './return-claims.ts';

/** Milliseconds between two attempts to get or renew the lease. */
const TICK_MS = 10_000;
/** Milliseconds between two looks whether Temporal responds. */
const LOOK_MS = 2_000;
/** Lease time in milliseconds. After a gateway was killed, the next one begins within two terms of `TICK_MS` more. */
const LEASE_MS = 25_000;
const HOUR_MS = 3_600_000;
/** Milliseconds between two sweeps of stores that come and go. */
const SETTLED_MS = 60_000;
/** Milliseconds until a sweep with failures is repeated. */
const AGAIN_MS = 5 * 60_000;
const LEASE = 'reconcile';

export interface Reconciler {
  /** Whether a record of this time may be behind its workflow, until a comparison has ended. @param createdAt ISO 8601 */
  mayBeBehind(createdAt: string): boolean;
  /** Stops after the current work. */
  stop(): Promise<void>;
}

/**
 * Reconciles records and workflows within a minute after the start, every hour, and after Temporal or the database was away or lost
 * writes, in one gateway at a time. A sweep that was interrupted continues, and one with failures is repeated after five minutes.
 * Each gateway compares its suspects at each tick: those that its commands reported, and again those that it found.
 * At each tick, the gateway also returns claims without an owner, deletes files of deleted accounts, and repeats deletions that
 * storage lost.
 * @param tickMs milliseconds between two attempts to get or renew the lease
 */
export function keepReconciled(deps: ReconcileDeps, tickMs = TICK_MS): Reconciler {
  const holder = randomUUID();
  const ending = new AbortController();
  let dueAt = -Infinity;
  /** Start of the last sweep, milliseconds since the epoch */
  let sweptAt = -Infinity;
  const progress = { afterId: '' };
  const deletions = createDeletionRepeats(deps);
  let sweep: Promise<unknown> | undefined;
  let comparison: Promise<unknown> | undefined;
  let returning: Promise<unknown> | undefined;
  const returnClaims = createClaimReturns();
  const losses = createLossWatch(deps, { lease: LEASE, holder });
  let lost = new AbortController();

  async function tick(): Promise<void> {
    comparison ??= compare().finally(() => (comparison = undefined));
    await losses.lookAtDatabase();
    if (!(await deps.leases.take(LEASE, holder, LEASE_MS))) {
      lost.abort();
      dueAt = -Infinity;
      progress.afterId = '';
      return;
    }
    if (ending.signal.aborted) return;
    if (lost.signal.aborted) lost = new AbortController();
    const signal = AbortSignal.any([ending.signal, lost.signal]);
    // A sweep of many uploads takes longer than claims may wait.
    returning ??= returnClaims(deps, signal).finally(() => (returning = undefined));
    if (sweep !== undefined) return;
    if (losses.mayHaveHappened() && deps.now() >= sweptAt + SETTLED_MS) {
      losses.forget();
      await deps.deliveries.endLeases();
      dueAt = -Infinity;
      progress.afterId = '';
    }
    const isDue = deps.now() >= dueAt;
    sweep = run(isDue, signal).finally(() => (sweep = undefined));
  }

  async function compare(): Promise<void> {
    try {
      await compareSuspects(deps, ending.signal);
    } catch (error) {
      if (!ending.signal.aborted) deps.log.warn({ err: error }, 'suspect uploads could not be compared');
    }
  }

  async function run(isDue: boolean, signal: AbortSignal): Promise<void> {
    try {
      await deleteAccounts(deps, signal);
      if (!isDue) {
        await deletions.afterOutage(signal);
        return;
      }
      sweptAt = deps.now();
      const { failed } = await reconcile(deps, signal, progress);
      if (failed === 0 && !losses.mayHaveHappened()) losses.compared();
      await deletions.repeat(signal);
      dueAt = deps.now() + (failed > 0 ? AGAIN_MS : HOUR_MS);
    } catch (error) {
      if (!signal.aborted) deps.log.warn({ err: error }, 'records and workflows could not be compared');
    }
  }

  const warn = (error: unknown): void => deps.log.warn({ err: error }, 'the lease could not be taken');
  const stopTicks = runAtInterval(tickMs, () => tick().catch(warn), false);
  const stopLooking = runAtInterval(LOOK_MS, losses.lookAtTemporal, false);
  return {
    mayBeBehind: losses.mayBeBehind,
    async stop() {
      ending.abort();
      await stopLooking();
      // A lease acquired after its release would delay the other gateways.
      await stopTicks();
      await Promise.all([sweep, comparison, returning]);
      await deps.leases.release(LEASE, holder).catch(() => undefined);
    },
  };
}
