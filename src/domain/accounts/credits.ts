/** Kinds of ledger entries. The ledger is append-only. */
export const LEDGER_ENTRY_KINDS = ['grant', 'top_up', 'reserve', 'release', 'capture'] as const;
export type LedgerEntryKind = (typeof LEDGER_ENTRY_KINDS)[number];

export interface LedgerEntry {
  /** Increases with each entry */
  seq: number;
  /** Calendar month of the entry, `YYYY-MM` */
  period: string;
  kind: LedgerEntryKind;
  credits: number;
  enhancementId: string | null;
  reference: string | null;
  /** ISO 8601 */
  at: string;
}

/** A calendar month in UTC. Bounds are ISO 8601; the end is exclusive. */
export interface CreditPeriod {
  /** `YYYY-MM` */
  key: string;
  start: string;
  end: string;
}

/** Returns the period of a point in time (docs/contract.md: credits per calendar-month period). */
export function creditPeriodAt(epochMs: number): CreditPeriod {
  const date = new Date(epochMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const start = new Date(Date.UTC(year, month, 1)).toISOString();
  return { key: start.slice(0, 7), start, end: new Date(Date.UTC(year, month + 1, 1)).toISOString() };
}

/** Balance of an account in one period, in credits. */
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

/** Percentages of a period's grant. A reservation that lowers the remaining credits to one of them causes an event. */
export const LOW_CREDIT_LEVELS = [20, 0] as const;
export type LowCreditLevel = (typeof LOW_CREDIT_LEVELS)[number];

/** Returns the lowest level that a balance has newly reached; null for none. */
export function lowCreditLevel(granted: number, before: number, after: number): LowCreditLevel | null {
  const passed = LOW_CREDIT_LEVELS.filter((percent) => {
    const level = (granted * percent) / 100;
    return before > level && after <= level;
  });
  return passed.at(-1) ?? null;
}
