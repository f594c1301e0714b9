import { and, asc, desc, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import type { WebhookEvent } from '@burnish/contract';
import type { Database } from '../database.ts';
import { lockAccount } from '../credits/credit-movements.ts';
import { eventPosition, webhookEvents } from '../schema/webhooks.ts';

/** Events that get their positions at once. */
const NUMBERED_AT_ONCE = 1_000;

/** Time for which an event without a delivery is kept, milliseconds. */
export const EVENTS_KEPT_MS = 7 * 24 * 3_600_000;

/** Events of one read. */
const PAGE = 100;
/** An event may be numbered after one that is this much later, milliseconds: its transaction lasted. */
const LATEST_COMMIT_MS = 60_000;

export interface LoggedEvent extends WebhookEvent {
  /** Grows with each event of the account */
  position: number;
}

const { id, accountId, event, data, created, position } = webhookEvents;

export type EventLog = ReturnType<typeof createEventLog>;

/**
 * The events of an account in one order, for readers with a cursor of their own.
 *
 * An event gets its position by the first reader after its commit, under the lock of the account. A later position is thus
 * never visible before an earlier one, and a reader that continues after its last position misses nothing.
 */
export function createEventLog({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  async function number(account: string): Promise<void> {
    const unnumbered = and(eq(accountId, account), isNull(position));
    for (;;) {
      const [waiting] = await orm.select({ id }).from(webhookEvents).where(unnumbered).limit(1);
      if (waiting === undefined) return;
      await orm.transaction(async (tx) => {
        await lockAccount(tx, account);
        await tx.execute(sql`with next as (
            select id from ${webhookEvents} where ${unnumbered} order by recorded limit ${NUMBERED_AT_ONCE}
          ), numbered as (select id, nextval(${eventPosition.seqName!}::regclass) as position from next)
          update ${webhookEvents} set position = numbered.position from numbered where ${id} = numbered.id`);
      });
    }
  }

  return {
    /** The position after the events that are stored now. */
    async end(account: string): Promise<number> {
      await number(account);
      const [row] = await orm
        .select({ last: sql<number>`coalesce(max(${position}), 0)::float8` })
        .from(webhookEvents)
        .where(eq(accountId, account));
      return row!.last;
    },

    /** A position before the stored events since a time (ISO 8601), and at most a minute of earlier ones. */
    async before(account: string, since: string): Promise<number> {
      await number(account);
      const earlier = new Date(Date.parse(since) - LATEST_COMMIT_MS).toISOString();
      const [row] = await orm
        .select({ position })
        .from(webhookEvents)
        .where(and(eq(accountId, account), sql`${position} is not null`, lt(created, earlier)))
        .orderBy(desc(position))
        .limit(1);
      return row?.position ?? 0;
    },

    /** The next events after a position, in order, at most 100. */
    async read(account: string, after: number): Promise<LoggedEvent[]> {
      await number(account);
      const rows = await orm
        .select({ id, event, data, created, position })
        .from(webhookEvents)
        .where(and(eq(accountId, account), gt(position, after)))
        .orderBy(asc(position))
        .limit(PAGE);
      return rows as LoggedEvent[];
    },

    /** Deletes old events without a delivery. @returns their number */
    async purge(): Promise<number> {
      const before = new Date(now() - EVENTS_KEPT_MS).toISOString();
      const gone = orm.delete(webhookEvents).where(and(sql`not ${webhookEvents.delivered}`, lt(created, before)));
      return (await gone.returning({ id })).length;
    },
  };
}
