import { counted, formatNumber } from '../engine/counted.ts';
import { Failure } from '../failure.ts';

/** Kinds of ledger entries. The ledger is append-only. */
export const LEDGER_ENTRY_KINDS = ['grant', 'top_up', 'reserve', 'release', 'capture'] as const;
export type LedgerEntryKind = (typeof LEDGER_ENTRY_KINDS)[number];

/** The effect of an entry on the remaining credits. A capture takes them from the reserved ones. */
export const LEDGER_SIGNS: Record<LedgerEntryKind, 1 | 0 | -1> = {
  grant: 1,
  top_up: 1,
  reserve: -1,
  release: 1,
  capture: 0,
};

export interface LedgerEntry {
  /** Increases with each entry */
  seq: number;
  kind: LedgerEntryKind;
  credits: number;
  /** Signed effect on the remaining credits */
  change: number;
  /** ISO 8601 */
  at: string;
}

/** Kinds of lines: a grant and a top-up have one entry, an enhancement has up to three. */
export const LEDGER_LINE_KINDS = ['grant', 'top_up', 'enhancement'] as const;
export type LedgerLineKind = (typeof LEDGER_LINE_KINDS)[number];

/** The entries of the ledger as people read them: one line for each grant, top-up and enhancement. */
export interface LedgerLine {
  /** That of its first entry */
  seq: number;
  /** Calendar month of the line, `YYYY-MM` */
  period: string;
  kind: LedgerLineKind;
  /** Signed effect of its entries on the remaining credits of the period */
  change: number;
  /** Credits of the period after this line and all earlier ones */
  remaining: number;
  enhancementId: string | null;
  /** Upload of the enhancement; null for a grant or a top-up, and where its record is not written yet */
  uploadId: string | null;
  originalFilename: string | null;
  /** Whether the enhancement finished without a change, and therefore without a charge */
  unchanged: boolean;
  /** Enhancement whose paid pages this one did not pay again; null without one */
  basedOn: string | null;
  /** Reference of a grant or a top-up */
  reference: string | null;
  /** Time of its first entry, ISO 8601 */
  at: string;
  /** Oldest first */
  entries: LedgerEntry[];
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

/** A range of credits in words: `at most 1 credit` where it may be free, `8 to 9 credits`, and `4 credits` for one number */
export function creditRange(min: number, max: number): string {
  if (min === max) return counted(max, 'credit');
  return min === 0 ? `at most ${counted(max, 'credit')}` : `${formatNumber(min)} to ${counted(max, 'credit')}`;
}

/** The failure of work that the account cannot pay. @param remaining credits left in the account */
export function insufficientCredits(credits: number, remaining: number): Failure {
  const detail = `The enhancement needs ${counted(credits, 'credit')}, and the account has ${formatNumber(remaining)} left.`;
  return new Failure('INSUFFICIENT_CREDITS', { detail });
}
