import type { SweptClaim } from '../../domain/claims.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { withdrawRefused } from './reconcile.ts';
import { createBatchReturns } from './return-batches.ts';
import { createStillRecords } from './still-records.ts';
import { returnDeliveries } from './return-deliveries.ts';
import { returnSlots } from './return-slots.ts';

/** Looks for claims whose owner is gone. A repetition, also by another gateway at once, returns none twice. @returns their number */
type ReturnClaims = (deps: ReconcileDeps, signal: AbortSignal) => Promise<number>;

/** @returns a function that returns each kind of claim. It logs failures, and the next run retries them */
export function createClaimReturns(): (deps: ReconcileDeps, signal: AbortSignal) => Promise<void> {
  const returns: Record<SweptClaim, ReturnClaims> = {
    'begun webhook delivery': returnDeliveries,
    'slot at the hosted service': returnSlots,
    'running batch item': createBatchReturns(),
    'open upload or enhancement': createStillRecords(),
    'refused start': withdrawRefused,
  };
  return async (deps, signal) => {
    for (const [claim, returnOrphans] of Object.entries(returns)) {
      try {
        const returned = await returnOrphans(deps, signal);
        if (returned > 0) deps.log.warn({ claim, returned }, 'claims without an owner were returned');
      } catch (error) {
        if (signal.aborted) return;
        deps.log.warn({ err: error, claim }, 'claims without an owner could not be returned');
      }
    }
  };
}
