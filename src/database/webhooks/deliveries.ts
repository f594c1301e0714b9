import { and, asc, eq, sql } from 'drizzle-orm';
import { BURNISH, FAILING_LIMIT_MS, disabledWebhookEventData, type WebhookEvent, newId } from '@burnish/contract';
import type { Delivery, DeliveryAttempt, DeliveryStatus } from '../../domain/events/delivery.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import { createAuditLog } from '../accounts/audit-log.ts';
import { webhookSecretAad } from '../accounts/accounts.ts';
import type { Database, Orm } from '../database.ts';
import { createSecretAddresses } from '../secret-addresses.ts';
import { createDeliveryLog, DELIVERY_RECORD, EVENT, ofFormat, uploadId } from './delivery-log.ts';
import { createEventRecorder } from './event-recorder.ts';
import { createEventRecords } from './event-records.ts';
import { createHeldDeliveries } from './held-deliveries.ts';
import { secretAad } from './webhook-endpoints.ts';
import { accounts } from '../schema/accounts.ts';
import { deliveries, deliveryAttempts, webhookEndpoints, webhookEvents } from '../schema/webhooks.ts';

export interface DeliveryContext {
  delivery: Delivery;
  url: string;
  event: WebhookEvent;
  /** Set for an endpoint of the format PUBLIC: the data that it gets */
  publicData?: Record<string, unknown>;
  /** `whsec_…`: the current one and, during a rotation, the previous one */
  secrets: string[];
  /** It waits for its turn, or its turn has come: a workflow of its own makes its attempts */
  waited: boolean;
  /** The endpoint has since been disabled or removed: no attempt must be made */
  endpointGone: boolean;
  /** The event belongs to a test account */
  ofTest: boolean;
}

/** State of a delivery after an attempt. */
export interface DeliveryProgress {
  status: DeliveryStatus;
  /** ISO 8601; null without a further attempt */
  nextAttemptAt: string | null;
}

type DisabledEndpoint = Parameters<typeof disabledWebhookEventData>[0];

/** Changes of an endpoint by an attempt; all null without an endpoint. */
interface JudgedEndpoint {
  endpoint_id: string;
  account_id: string;
  failing_since: string | Date | null;
  ends: boolean;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

export function createDeliveries({ orm }: Database, vault: Vault, now: () => number = Date.now) {
  const { openIn } = createSecretAddresses(vault);
  return {
    ...createEventRecords(orm, vault, now),
    ...createHeldDeliveries(orm, uploadId),
    ...createDeliveryLog(orm, vault),

    /** The input of an attempt. Read again before each attempt, since secrets rotate and endpoints are removed. */
    async context(deliveryId: string): Promise<DeliveryContext | undefined> {
      const [row] = await orm
        .select({
          delivery: DELIVERY_RECORD,
          waited: sql<boolean>`${deliveries.held} is not null`,
          event: EVENT,
          publicData: webhookEvents.publicData,
          endpoint: webhookEndpoints,
          accountSecret: accounts.webhookSecret,
          ofTest: sql<boolean>`${accounts.testOf} is not null`,
        })
        .from(deliveries)
        .innerJoin(webhookEvents, eq(webhookEvents.id, deliveries.eventId))
        .innerJoin(accounts, eq(accounts.id, deliveries.accountId))
        .leftJoin(webhookEndpoints, eq(webhookEndpoints.id, deliveries.endpointId))
        .where(eq(deliveries.id, deliveryId));
      if (row === undefined) return undefined;
      const { createdAt: _createdAt, redeliveryOf: _redeliveryOf, ...delivery } = openIn(row.delivery, 'url');
      const { event, publicData } = row;
      const base = { delivery, url: delivery.url, event, waited: row.waited, ofTest: row.ofTest };
      if (delivery.endpointId === null) {
        const secret = vault.open(row.accountSecret, webhookSecretAad(row.delivery.accountId));
        return { ...base, secrets: [secret], endpointGone: false };
      }
      if (row.endpoint === null) return { ...base, secrets: [], endpointGone: true };
      const { id, previousSecret, previousSecretUntil, disabledAt, format } = row.endpoint;
      const secret = vault.open(row.endpoint.secret, secretAad(id, 'secret'));
      const rotating = previousSecretUntil !== null && Date.parse(previousSecretUntil) > now();
      const secrets =
        rotating && previousSecret !== null
          ? [secret, vault.open(previousSecret, secretAad(id, 'previous_secret'))]
          : [secret];
      const data = ofFormat({ event, publicData, format });
      return { ...base, ...(data && { publicData: data }), secrets, endpointGone: disabledAt !== null };
    },

    /**
     * Logs an attempt and updates its delivery, once for each attempt number. A response of 410, or failures for
     * `FAILING_LIMIT_MS`, disable the endpoint and end its other deliveries. The same step writes the audit log and
     * the event `webhook.disabled`.
     * @returns whether the attempt was new
     */
    recordAttempt(deliveryId: string, attempt: DeliveryAttempt, next: DeliveryProgress): Promise<boolean> {
      const insert = orm
        .insert(deliveryAttempts)
        .values({ deliveryId, ...attempt })
        .onConflictDoNothing()
        .returning({ id: deliveryAttempts.deliveryId });
      const { outcome, at } = attempt;
      const limit = new Date(Date.parse(at) - FAILING_LIMIT_MS).toISOString();
      // A skipped attempt to a disabled endpoint says nothing about the receiver.
      const isGone = outcome === 'gone' && attempt.httpStatus !== null;
      const failing = sql`case when ${outcome === 'delivered'}::boolean then null
        when ${outcome === 'failed'}::boolean then coalesce(failing_since, ${at}::timestamptz) else failing_since end`;
      const ends = sql`disabled_at is null
        and (${isGone}::boolean or (${outcome === 'failed'}::boolean and failing_since <= ${limit}::timestamptz))`;
      const statement = sql`with logged as ${insert}, moved as (
        update ${deliveries} set attempts = greatest(attempts, ${attempt.number}::integer), status = ${next.status},
          next_attempt_at = ${next.nextAttemptAt}::timestamptz
        where id in (select delivery_id from logged) returning endpoint_id
      ), judged as (
        select id, ${ends} as ends, ${failing} as failing from ${webhookEndpoints}
        where id in (select endpoint_id from moved) for update
      ), kept as (
        update ${webhookEndpoints} set failing_since = judged.failing,
          disabled_at = case when judged.ends then ${at}::timestamptz else disabled_at end,
          disabled_reason = case when judged.ends then ${isGone ? 'gone' : 'failing'} else disabled_reason end
        from judged where judged.id = ${webhookEndpoints.id}
          and (judged.ends or judged.failing is distinct from failing_since)
        returning ${webhookEndpoints.id}, account_id, failing_since, judged.ends
      ), ended as (
        update ${deliveries} set status = 'FAILED', next_attempt_at = null
        where status = 'PENDING' and id <> ${deliveryId} and endpoint_id in (select id from kept where ends)
      ) select moved.endpoint_id, kept.account_id, kept.failing_since, coalesce(kept.ends, false) as ends
        from moved left join kept on kept.id = moved.endpoint_id`;
      return orm.transaction(async (tx) => {
        const [row] = (await tx.execute(statement)).rows as unknown as JudgedEndpoint[];
        if (row?.ends) {
          const failingSince = row.failing_since === null ? null : new Date(row.failing_since).toISOString();
          const reason = isGone ? 'gone' : 'failing';
          await noteDisabled(tx, row.account_id, {
            id: row.endpoint_id,
            disabledReason: reason,
            disabledAt: at,
            failingSince,
          });
        }
        return row !== undefined;
      });
    },

    /** Notes a later time for an attempt that did not begin. @param at ISO 8601 */
    async postpone(deliveryId: string, at: string): Promise<void> {
      await orm
        .update(deliveries)
        .set({ nextAttemptAt: at })
        .where(and(eq(deliveries.id, deliveryId), sql`${deliveries.status} = 'PENDING'`));
    },

    /** Ids of deliveries that wait for an attempt of Burnish, oldest first. */
    async pending(accountId: string, limit: number): Promise<string[]> {
      const rows = await orm
        .select({ id: deliveries.id })
        .from(deliveries)
        .where(and(eq(deliveries.accountId, accountId), sql`${deliveries.status} = 'PENDING'`))
        .orderBy(asc(deliveries.createdAt), asc(deliveries.id))
        .limit(limit);
      return rows.map(({ id }) => id);
    },
  };

  async function noteDisabled(tx: Orm, accountId: string, disabled: DisabledEndpoint): Promise<void> {
    const { id, disabledReason, disabledAt, failingSince } = disabled;
    const entry = { accountId, action: 'webhook.disable', subjectId: id } as const;
    const details = { reason: disabledReason, failingSince };
    await createAuditLog({ orm: tx }, now).record({ ...BURNISH, ...entry, details });
    const data = disabledWebhookEventData(disabled);
    const event = { id: newId('evt', now()), event: 'webhook.disabled', data, created: disabledAt } as const;
    // No workflow announces it.
    for (const { id } of await createEventRecorder(tx, now).recordEvent(accountId, event, null))
      await createHeldDeliveries(tx, uploadId).holdBack(id);
  }
}
