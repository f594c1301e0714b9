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
import { onceBuilt } from '../queries.ts';
import { accounts, plans } from '../schema/accounts.ts';
import { creditEntries, creditTotals } from '../schema/credits.ts';
import { counted, formatNumber } from '../../engine/contract/counted.ts';
import { lowCreditsEventData } from '../../domain/events/events.ts';
import { derivedId } from '../../domain/ids.ts';
import { createEventRecorder, type PlannedDelivery } from '../webhooks/event-recorder.ts';

type Totals = Pick<typeof creditTotals.$inferSelect, 'grants' | 'topUps' | 'used' | 'reserved'>;
/** Credits of an account each month: the number of the account, or else that of its plan. */
const creditsPerPeriod = sql<number>`coalesce(${accounts.creditsPerPeriod}, ${plans.creditsPerPeriod})`;

type NewEntry = Omit<typeof creditEntries.$inferInsert, 'seq' | 'at'>;
type MadeEntries = Partial<Record<LedgerEntryKind, { credits: number; period: string }>>;

const lock = onceBuilt((orm) =>
  orm
    .select({ creditsPerPeriod })
    .from(accounts)
    .innerJoin(plans, eq(plans.id, accounts.plan))
    .where(eq(accounts.id, sql.placeholder('accountId')))
    .for('no key update', { of: accounts })
    .prepare('account_lock'),
);

/**
 * Locks the account's row, which serializes its ledger operations. Later reads of the transaction see the latest
 * entries.
 * @returns credits that the account gets each period
 * @throws Failure NOT_FOUND
 */
export async function lockAccount(tx: Orm, accountId: string): Promise<number> {
  const [account] = await lock(tx).execute({ accountId });
  if (account === undefined) throw new Failure('NOT_FOUND');
  return account.creditsPerPeriod;
}

const { grants, topUps, used, reserved } = creditTotals;

const totalsOfPeriod = onceBuilt((orm) =>
  orm
    .select({ creditsPerPeriod, totals: { grants, topUps, used, reserved } })
    .from(accounts)
    .innerJoin(plans, eq(plans.id, accounts.plan))
    .leftJoin(
      creditTotals,
      and(eq(creditTotals.accountId, accounts.id), eq(creditTotals.period, sql.placeholder('period'))),
    )
    .where(eq(accounts.id, sql.placeholder('accountId')))
    .prepare('credit_totals_of_period'),
);

/**
 * Reads the totals of a period and the part of the grant that it still lacks. A new period lacks the whole grant.
 * After a rise of `creditsPerPeriod` within the period, it lacks the difference. A lower number applies from the next
 * period on.
 * @throws Failure NOT_FOUND
 */
export async function readPeriod(
  orm: Orm,
  accountId: string,
  period: CreditPeriod,
): Promise<{ totals: Totals; grantDue: number }> {
  const [row] = await totalsOfPeriod(orm).execute({ accountId, period: period.key });
  if (row === undefined) throw new Failure('NOT_FOUND');
  const totals = row.totals ?? { grants: 0, topUps: 0, used: 0, reserved: 0 };
  return { totals, grantDue: Math.max(0, row.creditsPerPeriod - totals.grants) };
}

/** Locks the account and enters the grant of the current period, once. */
export async function openPeriod(tx: Orm, accountId: string, nowMs: number): Promise<Totals> {
  const period = creditPeriodAt(nowMs);
  // Sent at once, and executed in this order.
  const [level, { totals, grantDue }] = await Promise.all([
    lockAccount(tx, accountId),
    readPeriod(tx, accountId, period),
  ]);
  if (grantDue === 0) return totals;
  const grant = { accountId, kind: 'grant' as const, credits: grantDue, period: period.key };
  await append(tx, [{ ...grant, reference: `${period.key} up to ${level}` }], nowMs);
  return { ...totals, grants: totals.grants + grantDue };
}

export function toBalance(period: CreditPeriod, { grants, topUps, used, reserved }: Totals): CreditBalance {
  const granted = grants + topUps;
  return { period, granted, used, reserved, remaining: granted - used - reserved };
}

/** Locks the account and reads the entries of an enhancement. Both statements are sent at once. */
async function lockEntries(tx: Orm, accountId: string, enhancementId: string): Promise<MadeEntries> {
  const [, entries] = await Promise.all([lockAccount(tx, accountId), readEntries(tx, accountId, enhancementId)]);
  return entries;
}

const entriesOfEnhancement = onceBuilt((orm) =>
  orm
    .select({ kind: creditEntries.kind, credits: creditEntries.credits, period: creditEntries.period })
    .from(creditEntries)
    .where(
      and(
        eq(creditEntries.accountId, sql.placeholder('accountId')),
        eq(creditEntries.enhancementId, sql.placeholder('enhancementId')),
      ),
    )
    .prepare('credit_entries_of_enhancement'),
);

/** Entries of an enhancement by kind; each kind occurs at most once. */
async function readEntries(tx: Orm, accountId: string, enhancementId: string): Promise<MadeEntries> {
  const rows = await entriesOfEnhancement(tx).execute({ accountId, enhancementId });
  return Object.fromEntries(rows.map((row) => [row.kind, row]));
}

/** Appends entries. A trigger adds them to the totals of their period and refuses an entry that would overspend it. */
export async function append(tx: Orm, entries: NewEntry[], nowMs: number): Promise<void> {
  const at = new Date(nowMs).toISOString();
  await tx.insert(creditEntries).values(entries.map((entry) => ({ ...entry, at })));
}

/** `closed`: the enhancement's credits are already released for good; the call reserved nothing. */
export interface Reservation {
  outcome: 'reserved' | 'insufficient' | 'closed';
  /** Credits left in the current period */
  remaining: number;
  /** With `reserved`: the number of credits, the new balance, and whether an earlier call reserved them */
  reserved?: { credits: number; balance: CreditBalance; repeated: boolean };
}

export interface Movement {
  accountId: string;
  enhancementId: string;
  /** Milliseconds since the epoch; decides the period */
  nowMs: number;
}

/**
 * Reserves credits for an enhancement. A repetition changes nothing, even with another number of credits. After a
 * release the reservation remains `closed`, so that a late retry of a cancelled step cannot reserve credits.
 * @throws Failure NOT_FOUND for an unknown account
 */
export async function reserveCredits(
  tx: Orm,
  { accountId, enhancementId, credits, nowMs }: Movement & { credits: number },
): Promise<Reservation> {
  const period = creditPeriodAt(nowMs);
  const [totals, { reserve, capture, release }] = await Promise.all([
    openPeriod(tx, accountId, nowMs),
    readEntries(tx, accountId, enhancementId),
  ]);
  const balance = toBalance(period, totals);
  const { remaining } = balance;
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
 * Charges a reservation, once, and releases the rest of it. The work may be older than the ledger's copy and its
 * reservation lost. The call then charges at most the credits that the account has left.
 * @returns the charged credits: those of the first capture on a repetition, 0 for a released reservation
 * @throws RangeError for more credits than reserved
 */
export async function captureCredits(
  tx: Orm,
  { accountId, enhancementId, credits, nowMs }: Movement & { credits: number },
): Promise<{ charged: number }> {
  const { reserve, capture, release } = await lockEntries(tx, accountId, enhancementId);
  if (capture !== undefined) return { charged: capture.credits };
  if (release !== undefined) return { charged: 0 };
  if (reserve === undefined) {
    const period = creditPeriodAt(nowMs);
    const { remaining } = toBalance(period, await openPeriod(tx, accountId, nowMs));
    const charged = Math.min(credits, remaining);
    const lost = { accountId, enhancementId, credits: charged, period: period.key };
    await append(
      tx,
      [
        { ...lost, kind: 'reserve' },
        { ...lost, kind: 'capture' },
      ],
      nowMs,
    );
    return { charged };
  }
  if (credits > reserve.credits) {
    throw new RangeError(
      `Expected at most the ${counted(reserve.credits, 'credit')} reserved, but received ${formatNumber(credits)}.`,
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
 * Releases a reservation, once; does nothing after a capture. Without a reservation, it enters 0 credits to refuse a
 * late one.
 * @param refuseLate false enters nothing without a reservation
 */
export async function releaseCredits(
  tx: Orm,
  { accountId, enhancementId, nowMs }: Movement,
  refuseLate = true,
): Promise<void> {
  const { reserve, capture, release } = await lockEntries(tx, accountId, enhancementId);
  if (capture !== undefined || release !== undefined) return;
  if (reserve === undefined && !refuseLate) return;
  const period = reserve?.period ?? creditPeriodAt(nowMs).key;
  await append(tx, [{ accountId, enhancementId, kind: 'release', credits: reserve?.credits ?? 0, period }], nowMs);
}

/**
 * Records `credits.low` when a reservation lowers the credits to a level: once for each level of a period, and again
 * after a top-up. A repetition of the reservation returns the same deliveries.
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
