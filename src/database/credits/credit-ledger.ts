import { and, eq } from 'drizzle-orm';
import { counted, Failure, type CreditBalance, type LedgerLine } from '@burnish/contract';
import {
  append,
  decided,
  lockAccount,
  openPeriod,
  planCapture,
  planRelease,
  planReservation,
  readCredits,
  toBalance,
  type Movement,
  type Reservation,
} from './credit-movements.ts';
import type { Database } from '../database.ts';
import { readLines, withBalances } from './ledger-lines.ts';
import { rowsToAskFor, seqCursor, toPage, type Page, type PageRequest } from '../page.ts';
import { creditEntries } from '../schema/credits.ts';

/** The database stores credits in 32 bits. */
const MAX_PERIOD_CREDITS = 2_000_000_000;

export type CreditLedger = ReturnType<typeof createCreditLedger>;

/**
 * The credit ledger of accounts. Entries are only appended, each at most once, so every operation may be repeated. An
 * operation reads, decides, and appends. If others were faster, the database refuses its entries, and it decides again.
 * Credits belong to a calendar month: grants and top-ups expire with it. A capture or release counts in the month of its
 * reservation.
 */
export function createCreditLedger({ orm }: Database) {
  return {
    /** @throws Failure NOT_FOUND */
    async balance(accountId: string, nowMs: number): Promise<CreditBalance> {
      return toBalance(await openPeriod(orm, { accountId, nowMs }));
    },

    reserve(order: Movement & { credits: number }): Promise<Pick<Reservation, 'outcome' | 'remaining'>> {
      return decided(async () => {
        const { outcome, remaining, entries } = planReservation(await openPeriod(orm, order), order);
        await append(orm, entries);
        return { outcome, remaining: entries.length > 0 ? remaining - order.credits : remaining };
      });
    },

    capture(order: Movement & { credits: number }): Promise<{ charged: number }> {
      return decided(async () => {
        const { charged, entries } = await planCapture(orm, order);
        await append(orm, entries);
        return { charged };
      });
    },

    /** @param refuseLate false permits a reservation after it, where there is none yet */
    release(order: Movement, refuseLate = true): Promise<void> {
      return decided(async () => append(orm, await planRelease(orm, order, refuseLate)));
    },

    /**
     * Adds credits to the current period, once for each reference.
     * @returns whether this call added them, and the credits of the entry; a repetition returns those of the first
     * call
     * @throws Failure BAD_USER_INPUT when the period would exceed its maximum
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
        const { period, totals, grantDue } = await readCredits(tx, { accountId, nowMs });
        if (totals.grants + grantDue + totals.topUps + credits > MAX_PERIOD_CREDITS) {
          throw new Failure('BAD_USER_INPUT', {
            detail: `A period holds at most ${counted(MAX_PERIOD_CREDITS, 'credit')}.`,
          });
        }
        const at = new Date(nowMs).toISOString();
        await append(tx, [{ accountId, kind: 'top_up', credits, reference, period: period.key, at }]);
        return { added: true, credits };
      });
    },

    /**
     * Lines of the ledger, newest first.
     * @throws Failure BAD_USER_INPUT for an invalid limit or cursor
     */
    async lines(accountId: string, request: PageRequest): Promise<Page<LedgerLine>> {
      const limit = rowsToAskFor(request);
      const after = seqCursor.decode(request.after)?.[0];
      const { items, nextCursor } = toPage(await readLines(orm, accountId, limit, after), request, (last) =>
        seqCursor.encode([last.seq]),
      );
      return { items: await withBalances(orm, accountId, items), nextCursor };
    },
  };
}
