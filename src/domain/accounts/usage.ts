/** A longer report is refused, so that an answer stays within some megabytes. */
export const MAX_USAGE_ROWS = 10_000;

/** Enhancements of one account that ended on one day, of one kind of file. */
export interface UsageRow {
  accountId: string;
  /** `YYYY-MM-DD` in UTC */
  day: string;
  kind: 'image' | 'pdf';
  finished: number;
  failed: number;
  cancelled: number;
  /** Finished ones that were served from an earlier result, free of charge */
  reused: number;
  /** Charged */
  credits: number;
  /** Bytes of results */
  resultBytes: number;
  /** Milliseconds of engine time */
  engineMs: number;
}

/** The columns of the report, in their order. */
export const USAGE_COLUMNS = [
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

/** The report as CSV (RFC 4180) with a header line. No value needs quotes: ids, dates, words and numbers. */
export function usageCsv(rows: readonly UsageRow[]): string {
  const lines = rows.map((row) => USAGE_COLUMNS.map((column) => String(row[column])).join(','));
  return [USAGE_COLUMNS.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}
