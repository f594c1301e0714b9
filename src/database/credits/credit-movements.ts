import {
  creditPeriodAt,
  type CreditBalance,
  type CreditPeriod,
  type LedgerEntryKind,
  Failure,
  counted,
  formatNumber,
} from '@burnish/contract';
import type { Orm } from '../database.ts';
import { columnNames, statement, toRows } from '../statement.ts';
import { CREDIT_ENTRY, type CreditTotals, type NewEntry } from '../step.ts';

type EntriesByKind = Partial<Record<LedgerEntryKind, { credits: number; period: string }>>;

const LOCK = statement('account_lock', 'select id from accounts where id = :accountId for no key update');

/**
 * Locks the account's row, which serializes changes of what it may have a number of. Later reads of the transaction see
 * the latest state.
 * @throws Failure NOT_FOUND
 */
export async function lockAccount(tx: Orm, accountId: string): Promise<void> {
  if ((await LOCK(tx, { accountId })).length === 0) throw new Failure('NOT_FOUND');
}

/** A ledger operation of an enhancement. */
export interface Movement {
  accountId: string;
  enhancementId: string;
  /** Milliseconds since the epoch; decides the period */
  nowMs: number;
}

/** What an operation reads of the ledger. */
export interface CreditsOfAccount {
  period: CreditPeriod;
  totals: CreditTotals;
  /** Credits that the account gets each period */
  level: number;
  /**
   * The part of the grant that the period still lacks. A new period lacks the whole grant. After a rise of the level within the
   * period, it lacks the difference. A lower level applies from the next period on.
   */
  grantDue: number;
  /** Entries of the enhancement by kind; each kind occurs at most once */
  entries: EntriesByKind;
}

interface CreditRow {
  level: number;
  totals: CreditTotals | null;
  entries: EntriesByKind | null;
}

/** The credits of each month are those of the account, or else those of its plan. */
const CREDITS = statement<CreditRow>(
  'credits_of_account',
  `
  select coalesce(accounts.credits_per_period, plans.credits_per_period) as level,
    (
      select jsonb_build_object('grants', grants, 'topUps', top_ups, 'used', used, 'reserved', reserved)
      from credit_totals where account_id = accounts.id and period = :period
    ) as totals,
    (
      select jsonb_object_agg(kind, jsonb_build_object('credits', credits, 'period', period))
      from credit_entries where account_id = accounts.id and enhancement_id = :enhancementId
    ) as entries
  from accounts join plans on plans.id = accounts.plan
  where accounts.id = :accountId`,
);

/** Reads the totals of the period, and the entries of an enhancement if one is given. @throws Failure NOT_FOUND */
export async function readCredits(
  orm: Orm,
  { accountId, enhancementId = null, nowMs }: Omit<Movement, 'enhancementId'> & { enhancementId?: string | null },
): Promise<CreditsOfAccount> {
  const period = creditPeriodAt(nowMs);
  const [row] = await CREDITS(orm, { accountId, enhancementId, period: period.key });
  if (row === undefined) throw new Failure('NOT_FOUND');
  const { level, entries } = row;
  const totals = row.totals ?? { grants: 0, topUps: 0, used: 0, reserved: 0 };
  return { period, totals, level, grantDue: Math.max(0, level - totals.grants), entries: entries ?? {} };
}

/** Reads as `readCredits`, and first enters the grant of the period, once. */
export async function openPeriod(orm: Orm, movement: Parameters<typeof readCredits>[1]): Promise<CreditsOfAccount> {
  const read = await readCredits(orm, movement);
  const { period, level, grantDue } = read;
  if (grantDue === 0) return read;
  const { accountId, nowMs } = movement;
  const grant = { accountId, kind: 'grant' as const, credits: grantDue, period: period.key };
  await append(orm, [{ ...grant, reference: `${period.key} up to ${level}`, at: isoTime(nowMs) }]);
  return readCredits(orm, movement);
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

export function toBalance({ period, totals }: Pick<CreditsOfAccount, 'period' | 'totals'>): CreditBalance {
  const granted = totals.grants + totals.topUps;
  return {
    period,
    granted,
    used: totals.used,
    reserved: totals.reserved,
    remaining: granted - totals.used - totals.reserved,
  };
}

const APPEND = statement(
  'credit_entries',
  `
  insert into credit_entries (${columnNames(CREDIT_ENTRY)})
  select ${columnNames(CREDIT_ENTRY)} from jsonb_populate_recordset(null::credit_entries, :entries::jsonb)
  on conflict (account_id, kind, reference) do nothing`,
);

/**
 * Appends entries, each once; a repeated grant is left out. Without the lock of a step, which would wait for an equal grant that
 * waits for it.
 */
export async function append(orm: Orm, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length > 0) await APPEND(orm, { entries: toRows(CREDIT_ENTRY, entries) });
}

/** A constraint whose violation shows that another operation has changed what this one has read. */
const OVERTAKEN: readonly unknown[] = [
  'credit_totals_never_negative',
  'credit_entries_once_per_enhancement',
  'credit_entries_settled',
];
const MAX_TRIES = 20;

/**
 * Runs an operation that reads the ledger, decides, and appends. It runs again if another one was faster, since the database then
 * refuses its entries.
 */
export async function decided<T>(operation: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await operation();
    } catch (error) {
      const { constraint } = ((error as { cause?: unknown }).cause ?? error) as { constraint?: unknown };
      if (!OVERTAKEN.includes(constraint) || tries === MAX_TRIES) throw error;
    }
  }
}

/** `closed`: the enhancement's credits are already released for good, and the operation reserves nothing. */
export interface Reservation {
  outcome: 'reserved' | 'insufficient' | 'closed';
  /** Credits left in the current period, before the new entries */
  remaining: number;
  /** Reserved credits: those of the first operation on a repetition */
  credits: number;
  repeated: boolean;
  /** To append */
  entries: NewEntry[];
}

/**
 * Decides on a reservation of credits. A repetition changes nothing, even with another number of credits. After a release the
 * reservation remains `closed`, so that a late retry of a cancelled step cannot reserve credits.
 */
export function planReservation(
  read: CreditsOfAccount,
  { accountId, enhancementId, credits, nowMs }: Movement & { credits: number },
): Reservation {
  const { reserve, capture, release } = read.entries;
  const { remaining } = toBalance(read);
  const nothing = { remaining, credits: reserve?.credits ?? credits, repeated: reserve !== undefined, entries: [] };
  if (release !== undefined && capture === undefined) return { ...nothing, outcome: 'closed' };
  if (reserve !== undefined) return { ...nothing, outcome: 'reserved' };
  if (remaining < credits) return { ...nothing, outcome: 'insufficient' };
  const entry = {
    accountId,
    enhancementId,
    kind: 'reserve',
    credits,
    period: read.period.key,
    at: isoTime(nowMs),
  } as const;
  return { ...nothing, outcome: 'reserved', entries: [entry] };
}

/**
 * Decides on the charge of a reservation, once, with the release of the rest of it. The work may be older than the ledger's copy and its
 * reservation lost. The account then pays at most the credits that it has left.
 * @returns the charged credits: those of the first capture on a repetition, 0 for a released reservation; and entries to append
 * @throws RangeError for more credits than reserved
 */
export async function planCapture(
  orm: Orm,
  movement: Movement & { credits: number },
): Promise<{ charged: number; entries: NewEntry[] }> {
  const { accountId, enhancementId, credits, nowMs } = movement;
  const { reserve, capture, release } = (await readCredits(orm, movement)).entries;
  if (capture !== undefined) return { charged: capture.credits, entries: [] };
  if (release !== undefined) return { charged: 0, entries: [] };
  const entry = { accountId, enhancementId, at: isoTime(nowMs) };
  if (reserve === undefined) {
    const read = await openPeriod(orm, movement);
    const charged = Math.min(credits, toBalance(read).remaining);
    const lost = { ...entry, credits: charged, period: read.period.key };
    return {
      charged,
      entries: [
        { ...lost, kind: 'reserve' },
        { ...lost, kind: 'capture' },
      ],
    };
  }
  if (credits > reserve.credits) {
    throw new RangeError(
      `Expected at most the ${counted(reserve.credits, 'credit')} reserved, but received ${formatNumber(credits)}.`,
    );
  }
  const { period } = reserve;
  const rest = reserve.credits - credits;
  const entries: NewEntry[] = [{ ...entry, period, kind: 'capture', credits }];
  if (rest > 0) entries.push({ ...entry, period, kind: 'release', credits: rest });
  return { charged: credits, entries };
}

/**
 * Decides on the release of a reservation, once; nothing follows a capture. Without a reservation, an entry of 0 credits refuses a
 * late one.
 * @param refuseLate false enters nothing without a reservation
 * @returns entries to append
 */
export async function planRelease(orm: Orm, movement: Movement, refuseLate = true): Promise<NewEntry[]> {
  const { accountId, enhancementId, nowMs } = movement;
  const read = await readCredits(orm, movement);
  const { reserve, capture, release } = read.entries;
  if (capture !== undefined || release !== undefined) return [];
  if (reserve === undefined && !refuseLate) return [];
  const { credits, period } = reserve ?? { credits: 0, period: read.period.key };
  return [{ accountId, enhancementId, kind: 'release', credits, period, at: isoTime(nowMs) }];
}
