import type { Account, AccountReceipt } from '../accounts/account.ts';

/* REST representations for operators. Times are ISO 8601 in UTC with milliseconds. */

export interface AccountRepresentation extends Omit<Account, 'webhookSecret'> {
  status: 'ACTIVE' | 'SUSPENDED' | 'DELETED';
  /** Effective limits: the account's own numbers, or those of its plan */
  effective: { creditsPerPeriod: number; requestsPerMinute: number; jobsAtOnce: number };
  openEnhancements: number;
  /** Null for a deleted account */
  remainingCreditsThisPeriod: number | null;
  /** Deleted items; null for an account that is not deleted */
  deletion: AccountReceipt | null;
}

/** A worker that polls a task queue. */
export interface PollingWorker {
  taskQueue: string;
  /** Process id and host, such as `1234@host` */
  process: string;
  /** Version of Burnish; null for a worker of a version before 1.0.0-rc.1 */
  version: string | null;
  /** ISO 8601 */
  polledAt: string;
}
