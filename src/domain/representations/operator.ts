import type { Account, AccountReceipt } from '../accounts/account.ts';

/*
 * What the operator's part of the REST interface answers. Times are ISO 8601 in UTC with milliseconds.
 */

export interface AccountRepresentation extends Omit<Account, 'webhookSecret'> {
  status: 'ACTIVE' | 'SUSPENDED' | 'DELETED';
  /** The numbers that hold: those of the account, or else of its plan */
  effective: { creditsPerPeriod: number; requestsPerMinute: number; jobsAtOnce: number };
  /** Enhancements that wait or run */
  openEnhancements: number;
  /** Null for a deleted account */
  remainingCreditsThisPeriod: number | null;
  /** What the deletion has removed; null for an account that is not deleted */
  deletion: AccountReceipt | null;
}
