import { and, eq, sql } from 'drizzle-orm';
import {
  creditPeriodAt,
  type CreditBalance,
  type CreditPeriod,
  type LedgerEntryKind,
} from '../../domain/accounts/credits.ts';
import { Failure } from '../../domain/failures.ts';
import type { Orm } from '../database.ts';
import { accounts, plans } from '../schema/accounts.ts';
import { creditEntries, creditTotals } from '../schema/credits.ts';

type Totals = Pick<typeof creditTotals.$inferSelect, 'grants' | 'topUps' | 'used' | 'reserved'>;
/** Credits of an account each month: its own number, or that of its plan. */
const creditsPerPeriod = sql<number>`coalesce(${accounts.creditsPerPeriod}, ${plans.creditsPerPeriod})`;

type NewEntry = Omit<typeof creditEntries.$inferInsert, 'seq' | 'at'>;
type MadeEntries = Partial<Record<LedgerEntryKind, { credits: number; period: string }>>;

/**
 * Waits for its turn among the ledger operations of an account; later reads of the transaction are up to date.
 * @returns credits that the account gets each period
 * @throws Failure NOT_FOUND
 */
export async function lockAccount(tx: Orm, accountId: string): Promise<number> {
  const [account] = await tx
    .select({ creditsPerPeriod })
    .from(accounts)
    .innerJoin(plans, eq(plans.id, accounts.plan))
    .where(eq(accounts.id, accountId))
    .for('no key update', { of: accounts });
  if (account === undefined) throw new Failure('NOT_FOUND');
  return account.creditsPerPeriod;
}

/**
 * What a period holds, and the credits that its grant still lacks: all of them at first; after `creditsPerPeriod` was
 * raised within the period, the difference. A period that has had more keeps it: a lower number holds from the next on.
 * @throws Failure NOT_FOUND
 */
export async function readPeriod(
  orm: Orm,
  accountId: string,
  period: CreditPeriod,
): Promise<{ totals: Totals; grantDue: number }> {
  const { grants, topUps, used, reserved } = creditTotals;
  const [row] = await orm
    .select({ creditsPerPeriod, totals: { grants, topUps, used, reserved } })
    .from(accounts)
    .innerJoin(plans, eq(plans.id, accounts.plan))
    .leftJoin(creditTotals, and(eq(creditTotals.accountId, accounts.id), eq(creditTotals.period, period.key)))
    .where(eq(accounts.id, accountId));
  if (row === undefined) throw new Failure('NOT_FOUND');
  const totals = row.totals ?? { grants: 0, topUps: 0, used: 0, reserved: 0 };
  return { totals, grantDue: Math.max(0, row.creditsPerPeriod - totals.grants) };
}

/** Locks the account and makes the grant of the present period, once. */
export async function openPeriod(tx: Orm, accountId: string, nowMs: number): Promise<Totals> {
  const period = creditPeriodAt(nowMs);
  const level = await lockAccount(tx, accountId);
  const { totals, grantDue } = await readPeriod(tx, accountId, period);
  if (grantDue === 0) return totals;
  const grant = { accountId, kind: 'grant' as const, credits: grantDue, period: period.key };
  await append(tx, [{ ...grant, reference: `${period.key} up to ${level}` }], nowMs);
  return { ...totals, grants: totals.grants + grantDue };
}

export function balanceOf(period: CreditPeriod, { grants, topUps, used, reserved }: Totals): CreditBalance {
  const granted = grants + topUps;
  return { period, granted, used, reserved, remaining: granted - used - reserved };
}

/** What has been entered for an enhancement, by kind: there is at most one of each. */
export async function entriesOf(tx: Orm, accountId: string, enhancementId: string): Promise<MadeEntries> {
  const { kind, credits, period } = creditEntries;
  const rows = await tx
    .select({ kind, credits, period })
    .from(creditEntries)
    .where(and(eq(creditEntries.accountId, accountId), eq(creditEntries.enhancementId, enhancementId)));
  return Object.fromEntries(rows.map((row) => [row.kind, row]));
}

/** Appends entries; a trigger adds them to the totals of their period and refuses what would overspend it. */
export async function append(tx: Orm, entries: NewEntry[], nowMs: number): Promise<void> {
  const at = new Date(nowMs).toISOString();
  await tx.insert(creditEntries).values(entries.map((entry) => ({ ...entry, at })));
}
