import { Failure, type UsageRow } from '@burnish/contract';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 31;
/** Longest period of a report, days. */
export const MAX_USAGE_DAYS = 366;
/** Maximum number of rows. A longer report is rejected, so that a response stays within some megabytes. */
export const MAX_USAGE_ROWS = 10_000;

/** First and last day of a report, both inclusive, `YYYY-MM-DD` in UTC. */
export interface UsageDays {
  /** By default, 30 days before the last day */
  since?: string | undefined;
  /** Today by default */
  until?: string | undefined;
}

/**
 * Converts days to the time range of a report. The start is inclusive, the end is exclusive.
 * @param nowMs milliseconds since the epoch
 * @throws Failure BAD_USER_INPUT for days in the wrong order, or too many of them
 */
export function usagePeriod({ since, until }: UsageDays, nowMs: number): { since: string; until: string } {
  const last = Date.parse(until ?? new Date(nowMs).toISOString().slice(0, 10));
  const first = since === undefined ? last - (DEFAULT_DAYS - 1) * DAY_MS : Date.parse(since);
  if (first > last) {
    const detail = 'The first day, since, is after the last day, until. Choose an earlier first day.';
    throw new Failure('BAD_USER_INPUT', { field: 'since', detail });
  }
  const end = last + DAY_MS;
  if (end - first > MAX_USAGE_DAYS * DAY_MS) {
    const detail = `A report covers at most ${MAX_USAGE_DAYS} days. Choose a later first day, since, or an earlier last day, until.`;
    throw new Failure('BAD_USER_INPUT', { field: 'since', detail });
  }
  return { since: new Date(first).toISOString(), until: new Date(end).toISOString() };
}

/** Columns of the CSV report in their order. The name is excluded, because it may contain commas or a formula. */
const USAGE_COLUMNS = [
  'accountId',
  'day',
  'kind',
  'finished',
  'failed',
  'cancelled',
  'reused',
  'credits',
  'resultBytes',
  'engineMs',
] as const satisfies readonly (keyof UsageRow)[];

/** Formats the report as CSV (RFC 4180) with a header line. No value needs quotes: all are ids, dates, words and numbers. */
export function usageCsv(rows: readonly UsageRow[]): string {
  const lines = rows.map((row) => USAGE_COLUMNS.map((column) => String(row[column])).join(','));
  return [USAGE_COLUMNS.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}
