import { and, eq, gte, inArray, lt, sql, isNull } from 'drizzle-orm';
import { type UsageRow, type EnhancementStatus, Failure, formatNumber } from '@burnish/contract';
import { MAX_USAGE_ROWS } from '../../domain/accounts/usage.ts';
import type { Database } from '../database.ts';
import { statement } from '../statement.ts';
import { accounts, apiKeys } from '../schema/accounts.ts';
import { enhancements, OPEN_ENHANCEMENTS } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';

export interface UsageRequest {
  accountId?: string | undefined;
  /** ISO 8601, inclusive */
  since: string;
  /** ISO 8601, exclusive */
  until: string;
}

/** What ended on one day, ordered with one key. */
export interface UsageOfKey extends Pick<UsageRow, 'day' | 'finished' | 'failed' | 'cancelled' | 'reused' | 'credits'> {
  /** Null: ordered by a workflow, or by a version of Burnish that did not record the key */
  keyId: string | null;
  /** Null for a deleted key too */
  keyName: string | null;
}

export interface AccountQueue {
  accountId: string;
  /** Waiting and running enhancements only */
  counts: Partial<Record<EnhancementStatus, number>>;
}

/** Literals, so that PostgreSQL can use the partial index `enhancements_open`. */
const isOpen = sql`status in ${sql.raw(OPEN_ENHANCEMENTS)}`;

const OPEN_WORK = statement<OpenWork>(
  'open_work',
  `
  select
    (
      select count(*)::integer from (
        select from enhancements where account_id = :accountId and status in ${OPEN_ENHANCEMENTS} limit :limit
      ) as open
    ) as enhancements,
    (
      select count(*)::integer from (
        select from uploads where account_id = :accountId and status in ('UPLOAD_PENDING', 'UPLOAD_PROCESSING') limit :limit
      ) as open
    ) as uploads,
    coalesce((select bytes from account_storage where account_id = :accountId), 0)::float8 as "storedBytes"`,
);

/** What the plan of an account bounds. */
export interface OpenWork {
  /** Waiting and running enhancements */
  enhancements: number;
  /** Uploads that wait for their file or its inspection */
  uploads: number;
  /** Bytes of originals and results, and of expected files */
  storedBytes: number;
}

const times = (status: EnhancementStatus) =>
  sql<number>`count(*) filter (where ${enhancements.status} = ${sql.raw(`'${status}'`)})::integer`;
const sum = (value: unknown) => sql<number>`coalesce(sum(${value}), 0)::float8`;
const DAY = sql<string>`to_char(${enhancements.finishedAt} at time zone 'UTC', 'YYYY-MM-DD')`;
const COUNTS = {
  finished: times('FINISHED'),
  failed: times('ERROR'),
  cancelled: times('CANCELLED'),
  reused: sql<number>`count(${enhancements.reusedFrom})::integer`,
  credits: sum(enhancements.chargedCredits),
};
const isOfAccount = (id: string) => eq(enhancements.accountId, id);
const endedIn = ({ since, until }: Pick<UsageRequest, 'since' | 'until'>) =>
  and(gte(enhancements.finishedAt, since), lt(enhancements.finishedAt, until));

/** @param remedy such as `a shorter period` @throws Failure BAD_USER_INPUT */
function assertFew<Row>(rows: Row[], remedy: string): Row[] {
  if (rows.length <= MAX_USAGE_ROWS) return rows;
  const detail = `The period has more than ${formatNumber(MAX_USAGE_ROWS)} rows. Choose ${remedy}.`;
  throw new Failure('BAD_USER_INPUT', { field: 'since', detail });
}

export type UsageStore = ReturnType<typeof createUsage>;

export function createUsage({ orm }: Pick<Database, 'orm'>) {
  return {
    /**
     * Enhancements that ended in a period, by account, day in UTC and kind of file, in this order.
     * @throws Failure BAD_USER_INPUT for more than `MAX_USAGE_ROWS` rows
     */
    async rows({ accountId, ...period }: UsageRequest): Promise<UsageRow[]> {
      const kind = sql<
        UsageRow['kind']
      >`case when ${uploads.file} ->> 'mimetype' = 'application/pdf' then 'pdf' else 'image' end`;
      const rows = await orm
        .select({
          accountId: enhancements.accountId,
          accountName: accounts.name,
          day: DAY,
          kind,
          ...COUNTS,
          resultBytes: sum(sql`(${enhancements.result} ->> 'size')::bigint`),
          engineMs: sum(sql`(${enhancements.engine} ->> 'durationMs')::float8`),
        })
        .from(enhancements)
        .innerJoin(uploads, eq(uploads.id, enhancements.uploadId))
        .innerJoin(accounts, eq(accounts.id, enhancements.accountId))
        // Test accounts work for free.
        .where(and(endedIn(period), accountId === undefined ? isNull(accounts.testOf) : isOfAccount(accountId)))
        .groupBy(sql`1, 2, 3, 4`)
        .orderBy(sql`1, 3, 4`)
        .limit(MAX_USAGE_ROWS + 1);
      return assertFew(rows, 'a shorter period or one account');
    },

    /**
     * The same of one account by day in UTC and API key, in this order. Work of no known key comes last.
     * @throws Failure BAD_USER_INPUT for more than `MAX_USAGE_ROWS` rows
     */
    async byKey({ accountId, ...period }: UsageRequest & { accountId: string }): Promise<UsageOfKey[]> {
      const { keyId } = enhancements;
      const rows = await orm
        .select({ day: DAY, keyId, keyName: apiKeys.name, ...COUNTS })
        .from(enhancements)
        .leftJoin(apiKeys, eq(apiKeys.id, keyId))
        .where(and(endedIn(period), isOfAccount(accountId)))
        .groupBy(sql`1, 2, 3`)
        .orderBy(sql`1, 2`)
        .limit(MAX_USAGE_ROWS + 1);
      return assertFew(rows, 'a shorter period');
    },

    /** Accounts with waiting or running enhancements, in descending order of their number, at most `limit`. */
    async queue(limit: number): Promise<AccountQueue[]> {
      const { rows } = await orm.execute<{ account_id: string; counts: AccountQueue['counts'] }>(sql`
        select account_id, jsonb_object_agg(status, n) as counts
        from (select account_id, status, count(*)::integer as n from ${enhancements} where ${isOpen} group by 1, 2) as open
        group by account_id order by sum(n) desc, account_id limit ${limit}`);
      return rows.map(({ account_id, counts }) => ({ accountId: account_id, counts }));
    },

    /** Numbers of waiting and running enhancements by account; an account without any is absent. */
    async openByAccount(accountIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const { accountId } = enhancements;
      const rows = await orm
        .select({ accountId, count: sql<number>`count(*)::integer` })
        .from(enhancements)
        .where(and(inArray(accountId, [...accountIds]), isOpen))
        .groupBy(accountId);
      return new Map(rows.map((row) => [row.accountId, row.count]));
    },

    /** Open work of an account, each kind counted up to `limit`, and its stored bytes. */
    async openWork(accountId: string, limit: number): Promise<OpenWork> {
      return (await OPEN_WORK(orm, { accountId, limit }))[0]!;
    },
  };
}
