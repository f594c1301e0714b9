/** The kinds of ledger entries. Entries are only ever appended. */
export const LEDGER_ENTRY_KINDS = ['grant', 'top_up', 'reserve', 'release', 'capture'] as const;
export type LedgerEntryKind = (typeof LEDGER_ENTRY_KINDS)[number];

export interface LedgerEntry {
  /** Rises with each entry */
  seq: number;
  /** Calendar month that the entry counts in, `YYYY-MM` */
  period: string;
  kind: LedgerEntryKind;
  credits: number;
  enhancementId: string | null;
  /** Of a grant or a top-up */
  reference: string | null;
  /** ISO 8601 */
  at: string;
}

/** A calendar month in UTC; bounds are ISO 8601, the end is not included. */
export interface CreditPeriod {
  /** `YYYY-MM` */
  key: string;
  start: string;
  end: string;
}

/** The period that a moment falls into (docs/contract.md: credits per calendar-month period). */
export function creditPeriodAt(epochMs: number): CreditPeriod {
  const date = new Date(epochMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const start = new Date(Date.UTC(year, month, 1)).toISOString();
  return { key: start.slice(0, 7), start, end: new Date(Date.UTC(year, month + 1, 1)).toISOString() };
}

/** What an account has in one period, in credits. */
export interface CreditBalance {
  period: CreditPeriod;
  /** Grant and top-ups */
  granted: number;
  /** Captured */
  used: number;
  /** Reserved and neither captured nor released */
  reserved: number;
  /** granted - used - reserved */
  remaining: number;
}

/** Shares of what a period grants, percent: a reservation that brings the rest down to one of them is announced. */
export const LOW_CREDIT_LEVELS = [20, 0] as const;
export type LowCreditLevel = (typeof LOW_CREDIT_LEVELS)[number];

/** The lowest level that a balance has come down to, where it was above it before; null for none. */
export function lowCreditLevel(granted: number, before: number, after: number): LowCreditLevel | null {
  const passed = LOW_CREDIT_LEVELS.filter((percent) => {
    const level = (granted * percent) / 100;
    return before > level && after <= level;
  });
  return passed.at(-1) ?? null;
}
