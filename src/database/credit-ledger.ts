import { and, desc, eq, lt } from 'drizzle-orm';
import { counted, formatNumber } from '../domain/counted.ts';
import { Failure } from '../domain/failures.ts';
import { creditPeriodAt, type CreditBalance, type LedgerEntry } from '../domain/credits.ts';
import { append, balanceOf, entriesOf, lockAccount, openPeriod, readPeriod } from './credit-period.ts';
import type { Database } from './database.ts';
import { rowsToAskFor, seqCursor, toPage, type Page, type PageRequest } from './page.ts';
import { creditEntries } from './schema/credits.ts';

/** `closed`: the enhancement's credits have been released already, for good; nothing was reserved. */
export interface Reservation {
  outcome: 'reserved' | 'insufficient' | 'closed';
  /** Credits left in the present period */
  remaining: number;
}

interface Movement {
  accountId: string;
  enhancementId: string;
  nowMs: number;
}

/** The database counts them in 32 bits. */
const MAX_PERIOD_CREDITS = 2_000_000_000;

export type CreditLedger = ReturnType<typeof createCreditLedger>;

/**
 * The account of credits: entries that are only appended, each at most once, so that every operation may be repeated.
 * Operations of one account take turns by a lock on its row. Credits belong to a calendar month: grant and top-ups lapse
 * with it, and a capture or release counts in the month of its reservation.
 */
export function createCreditLedger({ orm }: Database) {
  return {
    /** @throws Failure NOT_FOUND */
    async balance(accountId: string, nowMs: number): Promise<CreditBalance> {
      const period = creditPeriodAt(nowMs);
      const { totals, grantDue } = await readPeriod(orm, accountId, period);
      if (grantDue === 0) return balanceOf(period, totals);
      return orm.transaction(async (tx) => balanceOf(period, await openPeriod(tx, accountId, nowMs)));
    },

    /**
     * Sets credits aside for an enhancement. A repetition changes nothing, also with another number of credits. After a release
     * it is `closed` for good: a late retry of a cancelled step must not tie up credits that nobody would give back.
     * @throws Failure NOT_FOUND for an unknown account
     */
    reserve({ accountId, enhancementId, credits, nowMs }: Movement & { credits: number }): Promise<Reservation> {
      return orm.transaction(async (tx) => {
        const period = creditPeriodAt(nowMs);
        const { remaining } = balanceOf(period, await openPeriod(tx, accountId, nowMs));
        const { reserve, capture, release } = await entriesOf(tx, accountId, enhancementId);
        if (release !== undefined && capture === undefined) return { outcome: 'closed', remaining };
        if (reserve !== undefined) return { outcome: 'reserved', remaining };
        if (remaining < credits) return { outcome: 'insufficient', remaining };
        await append(tx, [{ accountId, enhancementId, kind: 'reserve', credits, period: period.key }], nowMs);
        return { outcome: 'reserved', remaining: remaining - credits };
      });
    },

    /**
     * Charges a reservation, once; what was reserved beyond it is released.
     * @returns credits charged: those of the first capture on a repetition, 0 when the reservation had been released
     * @throws RangeError for more credits than reserved, or when none were reserved
     */
    capture({
      accountId,
      enhancementId,
      credits,
      nowMs,
    }: Movement & { credits: number }): Promise<{ charged: number }> {
      return orm.transaction(async (tx) => {
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
      });
    },

    /**
     * Gives a reservation back, once; nothing happens after a capture. Where none was made, an entry of 0 credits closes the
     * door to one that comes late.
     */
    async release({ accountId, enhancementId, nowMs }: Movement): Promise<void> {
      await orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        const { reserve, capture, release } = await entriesOf(tx, accountId, enhancementId);
        if (capture !== undefined || release !== undefined) return;
        const period = reserve?.period ?? creditPeriodAt(nowMs).key;
        await append(
          tx,
          [{ accountId, enhancementId, kind: 'release', credits: reserve?.credits ?? 0, period }],
          nowMs,
        );
      });
    },

    /**
     * Adds credits to the present period, once for each reference.
     * @returns whether they were added just now, and the credits of the entry, which on a repetition are those of the first
     * @throws Failure BAD_USER_INPUT when the period would hold more than a period can
     */
    topUp(given: {
      accountId: string;
      credits: number;
      reference: string;
      nowMs: number;
    }): Promise<{ added: boolean; credits: number }> {
      const { accountId, credits, reference, nowMs } = given;
      return orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        const [known] = await tx
          .select({ credits: creditEntries.credits })
          .from(creditEntries)
          .where(
            and(
              eq(creditEntries.accountId, accountId),
              eq(creditEntries.kind, 'top_up'),
              eq(creditEntries.reference, reference),
            ),
          );
        if (known !== undefined) return { added: false, credits: known.credits };
        const { totals, grantDue } = await readPeriod(tx, accountId, creditPeriodAt(nowMs));
        if (totals.grants + grantDue + totals.topUps + credits > MAX_PERIOD_CREDITS) {
          throw new Failure('BAD_USER_INPUT', {
            detail: `A period holds at most ${counted(MAX_PERIOD_CREDITS, 'credit')}.`,
          });
        }
        await append(tx, [{ accountId, kind: 'top_up', credits, reference, period: creditPeriodAt(nowMs).key }], nowMs);
        return { added: true, credits };
      });
    },

    /**
     * Newest first.
     * @throws Failure BAD_USER_INPUT for a limit or a cursor that is not valid
     */
    async entries(accountId: string, request: PageRequest): Promise<Page<LedgerEntry>> {
      const limit = rowsToAskFor(request);
      const after = seqCursor.decode(request.after)?.[0];
      const { seq, period, kind, credits, enhancementId, reference, at } = creditEntries;
      const rows = await orm
        .select({ seq, period, kind, credits, enhancementId, reference, at })
        .from(creditEntries)
        .where(and(eq(creditEntries.accountId, accountId), after === undefined ? undefined : lt(seq, after)))
        .orderBy(desc(seq))
        .limit(limit);
      return toPage(rows, request, (last) => seqCursor.encode([last.seq]));
    },
  };
}
