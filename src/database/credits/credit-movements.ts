import { and, eq, sql } from 'drizzle-orm';
import { createHash } from 'node:crypto';
import {
  creditPeriodAt,
  type CreditBalance,
  type CreditPeriod,
  type LedgerEntryKind,
  lowCreditLevel,
} from '../../domain/accounts/credits.ts';
import { Failure } from '../../domain/failures.ts';
import type { Orm } from '../database.ts';
import { accounts, plans } from '../schema/accounts.ts';
import { creditEntries, creditTotals } from '../schema/credits.ts';
import { counted, formatNumber } from '../../domain/counted.ts';
import { lowCreditsEventData } from '../../domain/events/events.ts';
import { derivedId } from '../../domain/ids.ts';
import { createEventRecorder, type PlannedDelivery } from '../webhooks/event-recorder.ts';

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
async function entriesOf(tx: Orm, accountId: string, enhancementId: string): Promise<MadeEntries> {
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

/** `closed`: the enhancement's credits have been released already, for good; nothing was reserved. */
export interface Reservation {
  outcome: 'reserved' | 'insufficient' | 'closed';
  /** Credits left in the present period */
  remaining: number;
  /** Where they are reserved: how many, the balance now, and whether an earlier call has reserved them */
  reserved?: { credits: number; balance: CreditBalance; repeated: boolean };
}

export interface Movement {
  accountId: string;
  enhancementId: string;
  /** Milliseconds since the epoch; decides the period */
  nowMs: number;
}

/**
 * Sets credits aside for an enhancement. A repetition changes nothing, also with another number of credits. After a release
 * the reservation stays `closed`: a late retry of a cancelled step cannot tie up credits.
 * @throws Failure NOT_FOUND for an unknown account
 */
export async function reserveCredits(
  tx: Orm,
  { accountId, enhancementId, credits, nowMs }: Movement & { credits: number },
): Promise<Reservation> {
  const period = creditPeriodAt(nowMs);
  const balance = balanceOf(period, await openPeriod(tx, accountId, nowMs));
  const { remaining } = balance;
  const { reserve, capture, release } = await entriesOf(tx, accountId, enhancementId);
  if (release !== undefined && capture === undefined) return { outcome: 'closed', remaining };
  if (reserve !== undefined) {
    return { outcome: 'reserved', remaining, reserved: { credits: reserve.credits, balance, repeated: true } };
  }
  if (remaining < credits) return { outcome: 'insufficient', remaining };
  await append(tx, [{ accountId, enhancementId, kind: 'reserve', credits, period: period.key }], nowMs);
  const left = { ...balance, reserved: balance.reserved + credits, remaining: remaining - credits };
  return { outcome: 'reserved', remaining: left.remaining, reserved: { credits, balance: left, repeated: false } };
}

/**
 * Charges a reservation, once; the rest of the reservation is released.
 * @returns credits charged: those of the first capture on a repetition, 0 when the reservation had been released
 * @throws RangeError for more credits than reserved, or when none were reserved
 */
export async function captureCredits(
  tx: Orm,
  { accountId, enhancementId, credits, nowMs }: Movement & { credits: number },
): Promise<{ charged: number }> {
  await lockAccount(tx, accountId);
  const { reserve, capture, release } = await entriesOf(tx, accountId, enhancementId);
  if (capture !== undefined) return { charged: capture.credits };
  if (release !== undefined) return { charged: 0 };
  if (reserve === undefined || credits > reserve.credits) {
    throw new RangeError(
      `Expected at most the ${counted(reserve?.credits ?? 0, 'credit')} reserved, but received ${formatNumber(credits)}.`,
    );
  }
  const entry = { accountId, enhancementId, period: reserve.period };
  const rest = reserve.credits - credits;
  await append(
    tx,
    [
      { ...entry, kind: 'capture', credits },
      ...(rest > 0 ? [{ ...entry, kind: 'release' as const, credits: rest }] : []),
    ],
    nowMs,
  );
  return { charged: credits };
}

/**
 * Gives a reservation back, once; nothing happens after a capture. Without a reservation, an entry of 0 credits refuses one
 * that comes late.
 * @param refuseLate false enters nothing where nothing was reserved
 */
export async function releaseCredits(
  tx: Orm,
  { accountId, enhancementId, nowMs }: Movement,
  refuseLate = true,
): Promise<void> {
  await lockAccount(tx, accountId);
  const { reserve, capture, release } = await entriesOf(tx, accountId, enhancementId);
  if (capture !== undefined || release !== undefined) return;
  if (reserve === undefined && !refuseLate) return;
  const period = reserve?.period ?? creditPeriodAt(nowMs).key;
  await append(tx, [{ accountId, enhancementId, kind: 'release', credits: reserve?.credits ?? 0, period }], nowMs);
}

/**
 * Records `credits.low` where a reservation brings the credits down to a level: once for each level of a period, and once more
 * after a top-up. A repetition of the reservation gives the same deliveries.
 * @returns the deliveries of the event
 */
export async function recordLowCredits(
  tx: Orm,
  accountId: string,
  { credits, balance, repeated }: NonNullable<Reservation['reserved']>,
  now: () => number,
): Promise<PlannedDelivery[]> {
  const { granted, remaining, period } = balance;
  const level = lowCreditLevel(granted, remaining + credits, remaining);
  if (level === null) return [];
  const occasion = `${accountId}\ncredits.low ${level} of ${granted} in ${period.key}`;
  const id = derivedId('evt', createHash('sha256').update(occasion).digest());
  const recorder = createEventRecorder(tx, now);
  if (!repeated && (await recorder.isRecorded(id))) return [];
  const created = new Date(now()).toISOString();
  const data = lowCreditsEventData(level, balance);
  return await recorder.recordEvent(accountId, { id, event: 'credits.low', data, created }, null);
}
