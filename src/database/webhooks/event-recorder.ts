import { createHash } from 'node:crypto';
import { and, eq, gt, isNotNull, isNull, sql, type Column, type SQL } from 'drizzle-orm';
import type { WebhookEvent } from '../../domain/events/events.ts';
import { LISTENER_KEPT_MS, listenerUrl, MAX_WAITING } from '../../domain/events/listening.ts';
import { derivedId } from '../../domain/ids.ts';
import type { Orm } from '../database.ts';
import { onceBuilt } from '../queries.ts';
import { enhancements } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';
import { deliveries, webhookEndpoints, webhookEvents, webhookListeners } from '../schema/webhooks.ts';
import { heldIfBusy } from './held-deliveries.ts';
import { isWaiting, nextListenerSeq, wakeListener } from './listener-queue.ts';

export interface PlannedDelivery {
  /** Derived from the event and the endpoint: every repetition has the same id */
  id: string;
  url: string;
  /** Null for the webhook address given with an upload */
  endpointId: string | null;
}

/** An event with its data for each format. */
export interface FormattedEvent extends WebhookEvent {
  /** For receivers of the format PUBLIC; absent or null: they get `data` */
  publicData?: Record<string, unknown> | null;
}

/** The record of an event. Its labels become part of the data. */
export interface EventSubject {
  table: 'uploads' | 'enhancements';
  id: string;
}

const LABELLED = { uploads, enhancements };

/** A delivery with its kind: a listener pulls it, or it is pushed to its URL. */
interface Target extends PlannedDelivery {
  pulled: boolean;
}

/** Whether a delivery can begin at once: it is pushed, and does not wait for its turn. */
const begins = sql<boolean>`${deliveries.listenerSeq} is null and ${deliveries.held} is null`;

/** Whether a receiver subscribes to the kind of the event. */
const subscribes = (events: Column): SQL =>
  sql`(${events} @> ${sql.placeholder('kinds')}::jsonb or ${events} @> '["*"]'::jsonb)`;

/** The existing deliveries of an event, and the endpoints and listeners that subscribe to its kind, with an empty id. */
const deliveriesAndReceivers = onceBuilt((orm) =>
  orm
    .select({
      id: deliveries.id,
      url: deliveries.url,
      endpointId: deliveries.endpointId,
      pulled: sql<boolean>`${isNotNull(deliveries.listenerSeq)}`,
      begins,
    })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.eventId, sql.placeholder('eventId')),
        eq(deliveries.accountId, sql.placeholder('accountId')),
        isNull(deliveries.redeliveryOf),
      ),
    )
    .unionAll(
      orm
        .select({
          id: sql<string>`''`,
          url: webhookEndpoints.url,
          endpointId: webhookEndpoints.id,
          pulled: sql<boolean>`false`,
          begins: sql<boolean>`true`,
        })
        .from(webhookEndpoints)
        .where(
          and(
            eq(webhookEndpoints.accountId, sql.placeholder('accountId')),
            isNull(webhookEndpoints.disabledAt),
            subscribes(webhookEndpoints.events),
          ),
        ),
    )
    .unionAll(
      orm
        .select({
          id: sql<string>`''`,
          url: webhookListeners.name,
          endpointId: webhookListeners.id,
          pulled: sql<boolean>`true`,
          begins: sql<boolean>`false`,
        })
        .from(webhookListeners)
        .where(
          and(
            eq(webhookListeners.accountId, sql.placeholder('accountId')),
            gt(webhookListeners.seenAt, sql.placeholder('heardAfter')),
            subscribes(webhookListeners.events),
            sql`(select count(*) from (select from ${deliveries} where ${deliveries.endpointId} = ${webhookListeners.id}
              and ${isWaiting} limit ${sql.raw(String(MAX_WAITING))}) as waiting) < ${sql.raw(String(MAX_WAITING))}`,
          ),
        ),
    )
    .prepare('deliveries_and_receivers'),
);

export function createEventRecorder(orm: Orm, now: () => number) {
  return {
    /**
     * Records an event with a delivery for each enabled endpoint and each listener that subscribes to it, and for the
     * upload's own address. A repetition returns the original deliveries, even if receivers have changed since. An event
     * without deliveries is not stored.
     * @returns the deliveries to push now; listeners pull theirs, and some wait for their turn (`held-deliveries.ts`)
     * @param uploadWebhookUrl the webhook address given with the upload
     * @param subject undefined for an event about the account
     */
    async recordEvent(
      accountId: string,
      event: FormattedEvent,
      uploadWebhookUrl: string | null,
      subject?: EventSubject,
    ): Promise<PlannedDelivery[]> {
      const kinds = JSON.stringify([event.event]);
      const heardAfter = new Date(now() - LISTENER_KEPT_MS).toISOString();
      const rows = await deliveriesAndReceivers(orm).execute({ eventId: event.id, accountId, kinds, heardAfter });
      const recorded = rows.filter((row) => row.id !== '');
      if (recorded.length > 0) return toPush(recorded.filter((row) => row.begins));
      const targets: Target[] = rows.map((row) => (row.pulled ? { ...row, url: listenerUrl(row.url) } : row));
      if (uploadWebhookUrl !== null) targets.push({ id: '', endpointId: null, url: uploadWebhookUrl, pulled: false });
      if (targets.length === 0) return [];
      const planned = targets.map((target) => ({ ...target, id: plannedDeliveryId(event.id, target.endpointId) }));
      const data = withLabels(subject, accountId, event.data);
      const held = await insertOnce(accountId, { ...event, data }, planned, heldIfBusy);
      return toPush(planned.filter(({ id, pulled }) => !pulled && !held.has(id)));
    },

    /** Whether an event is stored. An event without deliveries is not. */
    async isRecorded(eventId: string): Promise<boolean> {
      const { id } = webhookEvents;
      return (await orm.select({ id }).from(webhookEvents).where(eq(id, eventId))).length > 0;
    },

    /**
     * Records a delivery that repeats another one on request: the same event to the same receiver. Once for each id.
     * @returns whether the other delivery exists
     */
    async recordRedelivery(accountId: string, id: string, redeliveryOf: string): Promise<boolean> {
      const { url, endpointId, eventId, listenerSeq } = deliveries;
      const [repeated] = await orm
        .select({ url, endpointId, eventId, listenerSeq })
        .from(deliveries)
        .where(and(eq(deliveries.accountId, accountId), eq(deliveries.id, redeliveryOf)));
      if (repeated === undefined) return false;
      const at = new Date(now()).toISOString();
      const pulled = repeated.listenerSeq !== null;
      const place = { listenerSeq: pulled ? nextListenerSeq : null };
      await orm
        .insert(deliveries)
        .values({ ...repeated, ...place, id, accountId, redeliveryOf, createdAt: at, nextAttemptAt: at })
        .onConflictDoNothing();
      if (pulled && repeated.endpointId !== null) await wakeListener(orm, repeated.endpointId);
      return true;
    },

    /** Records a test event with its delivery to one endpoint. Once for each id. */
    async recordTest(
      accountId: string,
      { id, endpoint, event }: { id: string; endpoint: { id: string; url: string }; event: WebhookEvent },
    ): Promise<void> {
      const target = { id, url: endpoint.url, endpointId: endpoint.id, pulled: false };
      await insertOnce(accountId, event, [target], () => null);
    },
  };

  /** @returns the ids of the deliveries that wait */
  async function insertOnce(
    accountId: string,
    event: Omit<FormattedEvent, 'data'> & { data: WebhookEvent['data'] | SQL },
    planned: Target[],
    holding: typeof heldIfBusy | (() => null),
  ): Promise<Set<string>> {
    return await orm.transaction(async (tx) => {
      const fresh = await tx
        .insert(webhookEvents)
        .values({ ...event, accountId })
        .onConflictDoNothing()
        .returning({ id: webhookEvents.id });
      // Another repetition has recorded it meanwhile.
      if (fresh.length === 0)
        return idsOfHeld(await tx.select(HELD).from(deliveries).where(eq(deliveries.eventId, event.id)));
      const at = new Date(now()).toISOString();
      const fields = { accountId, eventId: event.id, createdAt: at, nextAttemptAt: at };
      const rows = await tx
        .insert(deliveries)
        .values(
          planned.map(({ pulled, ...one }) => ({
            ...one,
            ...fields,
            listenerSeq: pulled ? nextListenerSeq : null,
            held: pulled ? null : holding(accountId, one),
          })),
        )
        .returning(HELD);
      for (const { pulled, endpointId } of planned)
        if (pulled && endpointId !== null) await wakeListener(tx, endpointId);
      return idsOfHeld(rows);
    });
  }
}

const HELD = { id: deliveries.id, held: deliveries.held };

const idsOfHeld = (rows: readonly { id: string; held: string | null }[]): Set<string> =>
  new Set(rows.filter(({ held }) => held !== null).map(({ id }) => id));

function withLabels(
  subject: EventSubject | undefined,
  accountId: string,
  data: WebhookEvent['data'],
): WebhookEvent['data'] | SQL {
  if (subject === undefined) return data;
  const { id, accountId: owner, reference, customMetadata } = LABELLED[subject.table];
  const given = (name: string, column: typeof reference | typeof customMetadata): SQL =>
    sql`case when ${column} is null then '{}'::jsonb else jsonb_build_object(${name}::text, ${column}) end`;
  return sql`${JSON.stringify(data)}::jsonb || coalesce((
    select ${given('reference', reference)} || ${given('customMetadata', customMetadata)}
    from ${LABELLED[subject.table]} where ${id} = ${subject.id} and ${owner} = ${accountId}
  ), '{}'::jsonb)`;
}

function toPush(targets: readonly PlannedDelivery[]): PlannedDelivery[] {
  return targets.map(({ id, url, endpointId }) => ({ id, url, endpointId })).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Id of the first delivery of an event to a receiver. @param endpointId null for the address of an upload */
export function plannedDeliveryId(eventId: string, endpointId: string | null): string {
  return derivedId(
    'dlv',
    createHash('sha256')
      .update(`${eventId}\n${endpointId ?? ''}`)
      .digest(),
  );
}
