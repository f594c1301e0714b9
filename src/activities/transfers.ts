import { Context } from '@temporalio/activity';
import type { WriteToDestination } from './destination.ts';
import { createFileActivities, type FilesDeps } from './files.ts';
import { createSharedPermits, type Deferred } from './shared-permits.ts';

export interface TransferDeps extends FilesDeps {
  writeToDestination: WriteToDestination;
  /** Transfers of one account that run at once in this process; `TRANSFERS_OF_ACCOUNT` by default */
  transfersOfAccount?: number;
}

/** As many as a batch has open items. */
export const TRANSFERS_OF_ACCOUNT = 50;

/** Bounds of the wait for a permit, and the shortest time that a transfer is taken to last, milliseconds. */
const WAIT_MS = { shortest: 1_000, longest: 10 * 60_000 } as const;
const SHORTEST_TRANSFER_MS = 1_000;

/** A transfer that did not begin, because too many others of its account run. */
export interface DeferredTransfer extends Deferred {
  /** Attempts that failed before */
  failedAttempts: number;
}

/**
 * Transfers with machines outside, such as the caller's server or bucket. Each may wait for such a machine for a long time, so
 * an account has a bounded number of them at once.
 */
export function createTransferActivities({
  transfersOfAccount = TRANSFERS_OF_ACCOUNT,
  writeToDestination,
  ...deps
}: TransferDeps) {
  const { downloadUpload, readFromBucket } = createFileActivities(deps);
  const permits = createSharedPermits<string>({
    sharesOf: (accountId) => [{ key: accountId, limit: transfersOfAccount }],
    // Work that starts at an even pace and holds its permit for a time is half as old on average.
    heldMs: (meanAgeMs) => Math.max(SHORTEST_TRANSFER_MS, 2 * meanAgeMs),
    waitMs: WAIT_MS,
  });

  const withPermit =
    <Order extends { accountId: string }, Done extends object>(transfer: (order: Order) => Promise<Done>) =>
    async (order: Order): Promise<Done | DeferredTransfer> => {
      const outcome = await permits.hold(order.accountId, () => transfer(order));
      if (!('deferredMs' in outcome)) return outcome;
      return { ...outcome, failedAttempts: Context.current().info.attempt - 1 };
    };

  return {
    downloadUpload: withPermit(downloadUpload),
    readFromBucket: withPermit(readFromBucket),
    writeToDestination: withPermit(writeToDestination),
  };
}
