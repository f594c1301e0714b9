import { and, asc, desc, eq, getTableColumns, gt, gte, inArray, lte, notExists, sql, type SQL } from 'drizzle-orm';
import { subscribedKinds, type Subscription, type WebhookEvent } from '../../domain/events/events.ts';
import { LISTENER_KEPT_MS, listenerUrl, MAX_LISTENERS, MAX_REPLAYED } from '../../domain/events/listening.ts';
import { Failure } from '../../domain/failures.ts';
import { newId } from '../../domain/ids.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import { webhookSecretAad } from '../accounts/accounts.ts';
import { lockAccount } from '../credits/credit-movements.ts';
import type { Database, Orm } from '../database.ts';
import { accounts } from '../schema/accounts.ts';
import { deliveries, webhookEvents, webhookListeners } from '../schema/webhooks.ts';
import { plannedDeliveryId } from './event-statement.ts';
import { endWaiting, isWaiting, nextListenerSeq, wakeListener } from './listener-queue.ts';
import { listenerSecret } from './webhook-secret.ts';

export interface WebhookListener {
  id: string;
  accountId: string;
  name: string;
  events: Subscription[];
  createdAt: string;
  /** Its latest contact */
  seenAt: string;
  /** Number of deliveries that wait for it */
  waiting: number;
}

export interface WaitingDelivery {
  id: string;
  event: WebhookEvent;
}

const { id, accountId, name, events, createdAt, seenAt, reader } = webhookListeners;
const { accountId: _owner, publicData: _publicData, ...EVENT } = getTableColumns(webhookEvents);

export type WebhookListeners = ReturnType<typeof createWebhookListeners>;

/** Listeners of accounts: programs that pull the events that endpoints get pushed. */
export function createWebhookListeners({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  const iso = (ms: number): string => new Date(ms).toISOString();
  const isExpired = (): SQL => lte(seenAt, iso(now() - LISTENER_KEPT_MS));
  const mine = (account: string, listener: string): SQL =>
    and(eq(accountId, account), eq(id, listener), gt(seenAt, iso(now() - LISTENER_KEPT_MS)))!;
  const shown = () => {
    const waiting = orm.$count(deliveries, and(eq(deliveries.endpointId, id), isWaiting));
    return orm.select({ id, accountId, name, events, createdAt, seenAt, waiting }).from(webhookListeners);
  };

  return {
    /**
     * Creates a listener, or continues the one with this name, with the given events.
     * @param order `since` in ISO 8601: skips what waits, and sends the stored events since then; null continues
     * @returns the id of the listener
     * @throws Failure BAD_USER_INPUT when the account already has the maximum
     */
    open(account: string, order: { name: string; events: Subscription[]; since: string | null }): Promise<string> {
      return orm.transaction(async (tx) => {
        await lockAccount(tx, account);
        await removeListeners(tx, and(eq(accountId, account), isExpired())!);
        const others = and(eq(accountId, account), sql`${name} <> ${order.name}`);
        if ((await tx.$count(webhookListeners, others)) >= MAX_LISTENERS) {
          const fault = `An account has at most ${MAX_LISTENERS} listeners.`;
          throw new Failure('BAD_USER_INPUT', { detail: `${fault} Delete one, or continue one by its name.` });
        }
        const row = { id: newId('lsn', now()), accountId: account, name: order.name, events: order.events };
        const [listener] = await tx
          .insert(webhookListeners)
          .values({ ...row, createdAt: iso(now()), seenAt: iso(now()) })
          .onConflictDoUpdate({ target: [accountId, name], set: { events: order.events, seenAt: iso(now()) } })
          .returning({ id });
        if (order.since !== null) await restart(tx, { ...row, id: listener!.id }, order.since);
        return listener!.id;
      });
    },

    /** Listeners that have not expired, oldest first. */
    list(account: string): Promise<WebhookListener[]> {
      return shown()
        .where(and(eq(accountId, account), gt(seenAt, iso(now() - LISTENER_KEPT_MS))))
        .orderBy(asc(createdAt), asc(id));
    },

    async get(account: string, listener: string): Promise<WebhookListener | undefined> {
      const [row] = await shown().where(mine(account, listener));
      return row;
    },

    /** `whsec_…`, the same for a name at any time. */
    async secret({ accountId: account, name: listener }: Pick<WebhookListener, 'accountId' | 'name'>): Promise<string> {
      const [row] = await orm.select({ secret: accounts.webhookSecret }).from(accounts).where(eq(accounts.id, account));
      return listenerSecret(vault.open(row!.secret, webhookSecretAad(account)), listener);
    },

    /** Makes a stream the only reader of a listener: an earlier one ends. @returns whether the listener exists */
    async attach(account: string, listener: string, stream: string): Promise<boolean> {
      const rows = await orm
        .update(webhookListeners)
        .set({ reader: stream, seenAt: iso(now()) })
        .where(mine(account, listener))
        .returning({ id });
      await wakeListener(orm, listener);
      return rows.length > 0;
    },

    /** Wakes the stream of a listener, because its queue has changed. */
    wake: (listener: string): Promise<void> => wakeListener(orm, listener),

    /** Notes the contact of a stream. */
    async touch(listener: string, stream: string): Promise<void> {
      await orm
        .update(webhookListeners)
        .set({ seenAt: iso(now()) })
        .where(and(eq(id, listener), eq(reader, stream)));
    },

    /** The first deliveries of the queue, or the reason why the stream must end. */
    async waiting(
      listener: string,
      stream: string,
      limit: number,
    ): Promise<WaitingDelivery[] | 'deleted' | 'replaced'> {
      const [row] = await orm.select({ reader }).from(webhookListeners).where(eq(id, listener));
      if (row === undefined) return 'deleted';
      if (row.reader !== stream) return 'replaced';
      return await orm
        .select({ id: deliveries.id, event: EVENT })
        .from(deliveries)
        .innerJoin(webhookEvents, eq(webhookEvents.id, deliveries.eventId))
        .where(and(eq(deliveries.endpointId, listener), isWaiting))
        .orderBy(asc(deliveries.listenerSeq))
        .limit(limit);
    },

    remove(account: string, listener: string): Promise<boolean> {
      return orm.transaction(async (tx) => (await removeListeners(tx, mine(account, listener))) > 0);
    },

    /** Deletes expired listeners, and ends deliveries that still wait for a deleted one. */
    async purge(): Promise<void> {
      await removeListeners(orm, isExpired());
      await endWaiting(orm, notExists(orm.select({ id }).from(webhookListeners).where(eq(id, deliveries.endpointId))));
    },
  };

  /** Fills the queue anew with the stored events since a time, in the order of their creation. */
  async function restart(
    tx: Orm,
    listener: Pick<WebhookListener, 'id' | 'accountId' | 'name' | 'events'>,
    since: string,
  ): Promise<void> {
    await endWaiting(tx, eq(deliveries.endpointId, listener.id));
    const { eventId, endpointId, redeliveryOf } = deliveries;
    const isFirst = sql`${endpointId} = ${listener.id} and ${redeliveryOf} is null`;
    const latest = await tx
      .select({ eventId, earlier: sql<string | null>`max(case when ${isFirst} then ${deliveries.id} end)` })
      .from(deliveries)
      .innerJoin(webhookEvents, eq(webhookEvents.id, eventId))
      .where(
        and(
          eq(deliveries.accountId, listener.accountId),
          gte(deliveries.createdAt, since),
          inArray(webhookEvents.event, [...subscribedKinds(listener.events)]),
        ),
      )
      .groupBy(eventId)
      .orderBy(desc(sql`min(${deliveries.createdAt})`), desc(sql`min(${deliveries.listenerSeq})`))
      .limit(MAX_REPLAYED);
    if (latest.length === 0) return;
    const at = iso(now());
    const fields = { accountId: listener.accountId, endpointId: listener.id, url: listenerUrl(listener.name) };
    await tx
      .insert(deliveries)
      .values(
        latest.reverse().map(({ eventId: event, earlier }) => ({
          ...fields,
          id:
            earlier === null ? plannedDeliveryId(sql`${event}::text`, sql`${listener.id}::text`) : newId('dlv', now()),
          eventId: event,
          redeliveryOf: earlier,
          listenerSeq: nextListenerSeq,
          createdAt: at,
          nextAttemptAt: at,
        })),
      )
      .onConflictDoNothing();
  }
}

/** Deletes listeners and ends what waits for them; the log of their deliveries remains. @returns their number */
async function removeListeners(orm: Orm, which: SQL): Promise<number> {
  const removed = await orm.delete(webhookListeners).where(which).returning({ id });
  for (const gone of removed) {
    await endWaiting(orm, eq(deliveries.endpointId, gone.id));
    await wakeListener(orm, gone.id);
  }
  return removed.length;
}
