import type { CreditLedger } from '../database/credit-ledger.ts';

export interface LedgerDeps {
  ledger: Pick<CreditLedger, 'reserve' | 'capture' | 'release'>;
}

/**
 * What the lifecycle does to the credit ledger. Every call may be repeated; the time of a movement is the workflow's, so
 * that a repetition falls into the same period.
 */
export function createLedgerActivities({ ledger }: LedgerDeps) {
  return {
    reserveCredits: (order: Parameters<CreditLedger['reserve']>[0]) => ledger.reserve(order),
    captureCredits: (order: Parameters<CreditLedger['capture']>[0]) => ledger.capture(order),
    releaseCredits: (order: Parameters<CreditLedger['release']>[0]) => ledger.release(order),
  };
}
