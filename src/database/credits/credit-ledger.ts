import { and, desc, eq, lt } from 'drizzle-orm';
import { counted } from '../../domain/counted.ts';
import { Failure } from '../../domain/failures.ts';
import { creditPeriodAt, type CreditBalance, type LedgerEntry } from '../../domain/accounts/credits.ts';
import {
  captureCredits,
  releaseCredits,
  reserveCredits,
  type Movement,
  type Reservation,
  append,
  balanceOf,
  lockAccount,
  openPeriod,
  readPeriod,
} from './credit-movements.ts';
import type { Database } from '../database.ts';
import { rowsToAskFor, seqCursor, toPage, type Page, type PageRequest } from '../page.ts';
import { creditEntries } from '../schema/credits.ts';

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

    /** As `reserveCredits`, in a transaction of its own. */
    async reserve(order: Movement & { credits: number }): Promise<Pick<Reservation, 'outcome' | 'remaining'>> {
      const { outcome, remaining } = await orm.transaction((tx) => reserveCredits(tx, order));
      return { outcome, remaining };
    },

    /** As `captureCredits`, in a transaction of its own. */
    capture: (order: Movement & { credits: number }): Promise<{ charged: number }> =>
      orm.transaction((tx) => captureCredits(tx, order)),

    /** As `releaseCredits`, in a transaction of its own. */
    release: (order: Movement): Promise<void> => orm.transaction((tx) => releaseCredits(tx, order)),

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
