import { sql, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import {
  creditPeriodAt,
  ENHANCEMENT_STATUSES,
  type EnhancementStatus,
  UPLOAD_STATUSES,
  type UploadStatus,
} from '@burnish/contract';
import type { Database } from './database.ts';
import { creditTotals } from './schema/credits.ts';
import { enhancements } from './schema/enhancements.ts';
import { uploads } from './schema/uploads.ts';

/** Maximum count of records of one state, which limits the time of a count to milliseconds. */
export const COUNTED_AT_MOST = 100_000;

export interface StateCount<Status> {
  status: Status;
  count: number;
  /** Creation time of the oldest record, milliseconds since the epoch; null without one */
  oldestMs: number | null;
}

/** Credits of all accounts in the current period. */
export interface CreditSums {
  granted: number;
  toppedUp: number;
  reserved: number;
  used: number;
}

/** Tombstones of deleted uploads are not counted. */
const COUNTED_UPLOADS = UPLOAD_STATUSES.filter((status) => status !== 'UPLOAD_DELETED');

export type StateCounts = ReturnType<typeof createStateCounts>;

export function createStateCounts({ orm }: Pick<Database, 'orm'>) {
  async function count<Status extends string>(
    table: PgTable,
    statuses: readonly Status[],
  ): Promise<StateCount<Status>[]> {
    const values = sql.join(
      statuses.map((status): SQL => sql`(${status}::text)`),
      sql`, `,
    );
    // Scans one index for each state: (status, created_at).
    const { rows } = await orm.execute<{ status: Status; count: number; oldest: number | null }>(sql`
      select state.name as status,
        (select count(*)::integer from (select 1 from ${table} where status = state.name limit ${COUNTED_AT_MOST}) as counted) as count,
        (select extract(epoch from min(created_at))::float8 from ${table} where status = state.name) as oldest
      from (values ${values}) as state(name)`);
    return rows.map(({ status, count, oldest }) => ({
      status,
      count,
      oldestMs: oldest === null ? null : Math.round(oldest * 1000),
    }));
  }

  return {
    uploads: (): Promise<StateCount<UploadStatus>[]> => count(uploads, COUNTED_UPLOADS),
    enhancements: (): Promise<StateCount<EnhancementStatus>[]> => count(enhancements, ENHANCEMENT_STATUSES),

    /** Sums of credits. They include an account from its first operation in the period, which enters its grant. */
    async credits(nowMs: number): Promise<CreditSums> {
      const sum = (column: unknown): SQL => sql`coalesce(sum(${column}), 0)::float8`;
      const { grants, topUps, reserved, used, period } = creditTotals;
      const { rows } = await orm.execute<{ granted: number; topped_up: number; reserved: number; used: number }>(sql`
        select ${sum(grants)} as granted, ${sum(topUps)} as topped_up, ${sum(reserved)} as reserved, ${sum(used)} as used
        from ${creditTotals} where ${period} = ${creditPeriodAt(nowMs).key}`);
      const row = rows[0]!;
      return { granted: row.granted, toppedUp: row.topped_up, reserved: row.reserved, used: row.used };
    },
  };
}
