import { createHash } from 'node:crypto';
import { and, eq, isNull, sql, type SQL } from 'drizzle-orm';
import type { WebhookEvent } from '../../domain/events/events.ts';
import { derivedId } from '../../domain/ids.ts';
import type { Orm } from '../database.ts';
import { onceBuilt } from '../queries.ts';
import { enhancements } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';
import { deliveries, webhookEndpoints, webhookEvents } from '../schema/webhooks.ts';

export interface PlannedDelivery {
  /** Derived from the event and the endpoint: every repetition has the same id */
  id: string;
  url: string;
  /** Null for the webhook address given with an upload */
  endpointId: string | null;
}

/** The record of an event. Its labels become part of the data. */
export interface EventSubject {
  table: 'uploads' | 'enhancements';
  id: string;
}

const LABELLED = { uploads, enhancements };

/** The existing deliveries of an event, and the endpoints that subscribe to its kind, with an empty id. */
const deliveriesAndEndpoints = onceBuilt((orm) =>
  orm
    .select({ id: deliveries.id, url: deliveries.url, endpointId: deliveries.endpointId })
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
        .select({ id: sql<string>`''`, url: webhookEndpoints.url, endpointId: webhookEndpoints.id })
        .from(webhookEndpoints)
        .where(
          and(
            eq(webhookEndpoints.accountId, sql.placeholder('accountId')),
            isNull(webhookEndpoints.disabledAt),
            sql`${webhookEndpoints.events} @> ${sql.placeholder('kinds')}::jsonb`,
          ),
        ),
    )
    .prepare('deliveries_and_endpoints'),
);

export function createEventRecorder(orm: Orm, now: () => number) {
  return {
    /**
     * Records an event with a delivery for each enabled endpoint that subscribes to it, and for the upload's own
     * address. A repetition returns the original deliveries, even if endpoints have changed since. An event without
     * deliveries is not stored.
     * @param uploadWebhookUrl the webhook address given with the upload
     * @param subject undefined for an event about the account
     */
    async recordEvent(
      accountId: string,
      event: WebhookEvent,
      uploadWebhookUrl: string | null,
      subject?: EventSubject,
    ): Promise<PlannedDelivery[]> {
      const kinds = JSON.stringify([event.event]);
      const rows = await deliveriesAndEndpoints(orm).execute({ eventId: event.id, accountId, kinds });
      const recorded = rows.filter((row) => row.id !== '');
      if (recorded.length > 0) return recorded.sort((a, b) => (a.id < b.id ? -1 : 1));
      const targets = [
        ...rows.map((row) => ({ endpointId: row.endpointId, url: row.url })),
        ...(uploadWebhookUrl === null ? [] : [{ endpointId: null, url: uploadWebhookUrl }]),
      ];
      if (targets.length === 0) return [];
      const planned = targets
        .map((target) => ({ id: deliveryId(event.id, target.endpointId), ...target }))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      await insertOnce(accountId, { ...event, data: withLabels(subject, accountId, event.data) }, planned);
      return planned;
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
      const [repeated] = await orm
        .select({ url: deliveries.url, endpointId: deliveries.endpointId, eventId: deliveries.eventId })
        .from(deliveries)
        .where(and(eq(deliveries.accountId, accountId), eq(deliveries.id, redeliveryOf)));
      if (repeated === undefined) return false;
      const at = new Date(now()).toISOString();
      await orm
        .insert(deliveries)
        .values({ ...repeated, id, accountId, redeliveryOf, createdAt: at, nextAttemptAt: at })
        .onConflictDoNothing();
      return true;
    },

    /** Records a test event with its delivery to one endpoint. Once for each id. */
    async recordTest(
      accountId: string,
      { id, endpoint, event }: { id: string; endpoint: { id: string; url: string }; event: WebhookEvent },
    ): Promise<void> {
      await insertOnce(accountId, event, [{ id, url: endpoint.url, endpointId: endpoint.id }]);
    },
  };

  async function insertOnce(
    accountId: string,
    event: Omit<WebhookEvent, 'data'> & { data: WebhookEvent['data'] | SQL },
    planned: PlannedDelivery[],
  ): Promise<void> {
    await orm.transaction(async (tx) => {
      const fresh = await tx
        .insert(webhookEvents)
        .values({ ...event, accountId })
        .onConflictDoNothing()
        .returning({ id: webhookEvents.id });
      if (fresh.length === 0) return;
      const at = new Date(now()).toISOString();
      await tx
        .insert(deliveries)
        .values(planned.map((one) => ({ ...one, accountId, eventId: event.id, createdAt: at, nextAttemptAt: at })));
    });
  }
}

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

function deliveryId(eventId: string, endpointId: string | null): string {
  return derivedId(
    'dlv',
    createHash('sha256')
      .update(`${eventId}\n${endpointId ?? ''}`)
      .digest(),
  );
}
