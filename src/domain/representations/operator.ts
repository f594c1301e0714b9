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
