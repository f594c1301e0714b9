import { and, asc, eq, inArray, lt, or, sql, type SQL } from 'drizzle-orm';
import { LEDGER_SIGNS, type LedgerEntry, type LedgerLine } from '@burnish/contract';
import type { Orm } from '../database.ts';
import { newestFirst } from '../page.ts';
import { creditEntries, creditTotals } from '../schema/credits.ts';
import { enhancements } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';

type UnbalancedLine = Omit<LedgerLine, 'remaining'>;

const { seq, period, kind, credits, enhancementId, reference, at } = creditEntries;

/** The first entry of a line. A release comes first only where it refuses a late reservation. */
const isFirst = (table: SQL): SQL => sql`(${table}.kind in ('grant', 'top_up', 'reserve')
  or (${table}.kind = 'release' and not exists (
    select from ${creditEntries} as earlier where earlier.enhancement_id = ${table}.enhancement_id and earlier.kind = 'reserve')))`;

/** Reads lines, newest first, without the balance after them. @param after the `seq` of the last line before these */
export async function readLines(
  orm: Orm,
  accountId: string,
  limit: number,
  after: number | undefined,
): Promise<UnbalancedLine[]> {
  const heads = await orm
    .select({ seq, period, kind, credits, enhancementId, reference, at })
    .from(creditEntries)
    .where(
      and(
        eq(creditEntries.accountId, accountId),
        isFirst(sql`${creditEntries}`),
        after === undefined ? undefined : lt(seq, after),
      ),
    )
    .orderBy(...newestFirst(seq))
    .limit(limit);
  const ids = heads.flatMap((head) => head.enhancementId ?? []);
  const [entries, records] = ids.length === 0 ? [[], []] : await readEnhancements(orm, accountId, ids);
  const recordOf = new Map(records.map((record) => [record.id, record]));
  return heads.map((head) => {
    const own =
      head.enhancementId === null ? [head] : entries.filter((each) => each.enhancementId === head.enhancementId);
    const shown = own.map(toEntry);
    const record = recordOf.get(head.enhancementId ?? '');
    return {
      seq: head.seq,
      period: head.period,
      kind: head.kind === 'grant' || head.kind === 'top_up' ? head.kind : 'enhancement',
      change: shown.reduce((sum, each) => sum + each.change, 0),
      enhancementId: head.enhancementId,
      uploadId: record?.uploadId ?? null,
      originalFilename: record?.originalFilename ?? null,
      unchanged: record?.unchanged ?? false,
      basedOn: record?.basedOn ?? null,
      reference: head.reference,
      at: head.at,
      entries: shown,
    };
  });
}

type Row = Pick<typeof creditEntries.$inferSelect, 'seq' | 'kind' | 'credits' | 'at'>;
const toEntry = (row: Row): LedgerEntry => ({
  seq: row.seq,
  kind: row.kind,
  credits: row.credits,
  // No negative zero
  change: row.credits === 0 ? 0 : LEDGER_SIGNS[row.kind] * row.credits,
  at: row.at,
});

function readEnhancements(orm: Orm, accountId: string, ids: string[]) {
  return Promise.all([
    orm
      .select({ seq, kind, credits, enhancementId, at })
      .from(creditEntries)
      .where(and(eq(creditEntries.accountId, accountId), inArray(enhancementId, ids)))
      .orderBy(asc(seq)),
    orm
      .select({
        id: enhancements.id,
        uploadId: enhancements.uploadId,
        originalFilename: uploads.originalFilename,
        basedOn: enhancements.basedOn,
        unchanged: sql<boolean>`coalesce(${enhancements.engine} ->> 'unchanged' = 'true', false)`,
      })
      .from(enhancements)
      .innerJoin(uploads, eq(uploads.id, enhancements.uploadId))
      .where(and(eq(enhancements.accountId, accountId), inArray(enhancements.id, ids))),
  ]);
}

const signed = sql<number>`case ${kind} when 'reserve' then -${credits} when 'capture' then 0 else ${credits} end`;

/** Adds the credits of the period after each line: those of now, without the effect of all later lines. */
export async function withBalances(
  orm: Orm,
  accountId: string,
  lines: readonly UnbalancedLine[],
): Promise<LedgerLine[]> {
  const newest = new Map<string, UnbalancedLine>();
  for (const line of lines) if (!newest.has(line.period)) newest.set(line.period, line);
  const after = new Map<string, number>();
  for (const line of newest.values()) after.set(line.period, await remainingAfter(orm, accountId, line));
  return lines.map((line) => {
    const remaining = after.get(line.period)!;
    after.set(line.period, remaining - line.change);
    return { ...line, remaining };
  });
}

/** One statement, so that an entry of this moment is in both sums or in none. */
async function remainingAfter(orm: Orm, accountId: string, line: UnbalancedLine): Promise<number> {
  const { grants, topUps, used, reserved } = creditTotals;
  const laterHead = sql`${creditEntries} as head where head.account_id = ${accountId} and head.period = ${line.period}
    and head.seq > ${line.seq} and ${isFirst(sql.raw('head'))}`;
  const later = sql<number>`(select coalesce(sum(${signed}), 0)::int from ${creditEntries} where ${and(
    eq(creditEntries.accountId, accountId),
    eq(period, line.period),
    or(
      sql`(${enhancementId} is null and ${seq} > ${line.seq})`,
      sql`${enhancementId} in (select head.enhancement_id from ${laterHead})`,
    ),
  )})`;
  const [row] = await orm
    .select({ remaining: sql<number>`${grants} + ${topUps} - ${used} - ${reserved} - ${later}` })
    .from(creditTotals)
    .where(and(eq(creditTotals.accountId, accountId), eq(creditTotals.period, line.period)));
  return Number(row?.remaining ?? 0);
}
