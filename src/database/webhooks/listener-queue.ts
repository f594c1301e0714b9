import { and, isNotNull, sql, type SQL } from 'drizzle-orm';
import { CHANGES_CHANNEL } from '../changes.ts';
import type { Orm } from '../database.ts';
import { deliveries, listenerSeq } from '../schema/webhooks.ts';

/*
 * The queue of a listener consists of its pending deliveries. Each is taken out by its own attempt, so that a delivery which
 * is committed after a later one is found all the same.
 */

/** Whether a delivery waits for its listener. The literal lets PostgreSQL use the partial index. */
export const isWaiting = and(sql`${deliveries.status} = 'PENDING'`, isNotNull(deliveries.listenerSeq))!;

/** The next position in the queues of listeners. */
export const nextListenerSeq = sql<number>`nextval(${listenerSeq.seqName!}::regclass)`;

/** Wakes the stream of a listener once the transaction has ended. */
export async function wakeListener(orm: Orm, listenerId: string): Promise<void> {
  await orm.execute(sql`select pg_notify(${CHANGES_CHANNEL}, ${listenerId})`);
}

/** Ends waiting deliveries without an attempt; they stay in the log. */
export async function endWaiting(orm: Orm, which: SQL): Promise<void> {
  const end = { status: 'FAILED', nextAttemptAt: null } as const;
  await orm.update(deliveries).set(end).where(and(isWaiting, which));
}
