/** Counts of enhancements of one account that ended on one day, for one kind of file. */
export interface UsageRow {
  accountId: string;
  accountName: string;
  /** `YYYY-MM-DD` in UTC */
  day: string;
  kind: 'image' | 'pdf';
  finished: number;
  failed: number;
  cancelled: number;
  /** Finished enhancements that reused an earlier result, free of charge */
  reused: number;
  /** Charged */
  credits: number;
  /** Bytes of results */
  resultBytes: number;
  /** Milliseconds of engine time */
  engineMs: number;
}
