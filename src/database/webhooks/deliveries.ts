import { and, asc, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Delivery, DeliveryAttempt, DeliveryStatus, LoggedDelivery } from '../../domain/events/delivery.ts';
import type { WebhookEvent } from '../../domain/events/events.ts';
import type { Vault } from '../../secrets/vault.ts';
import { webhookSecretPlace } from '../accounts/accounts.ts';
import type { Database } from '../database.ts';
import { createEventRecorder } from './event-recorder.ts';
import { secretPlace } from './webhook-endpoints.ts';
import { afterTime, rowsToAskFor, timeCursor, toPage, type Page, type PageRequest } from '../page.ts';
import { accounts } from '../schema/accounts.ts';
import { deliveries, deliveryAttempts, webhookEndpoints, webhookEvents } from '../schema/webhooks.ts';

/** What an attempt needs. */
export interface DeliveryContext {
  delivery: Delivery;
  url: string;
  event: WebhookEvent;
  /** `whsec_…`: the present one and, during a rotation, the one before */
  secrets: string[];
  /** The endpoint has been disabled or removed since: no attempt is to be made */
  endpointGone: boolean;
}

/** Where an attempt leaves its delivery. */
export interface DeliveryProgress {
  status: DeliveryStatus;
  /** ISO 8601; null when there will be no other attempt */
  nextAttemptAt: string | null;
}

export interface DeliveryPageRequest extends PageRequest {
  endpointId?: string;
}

const RECORD = getTableColumns(deliveries);
const LOGGED = { ...RECORD, eventKind: webhookEvents.event };
const { deliveryId: _deliveryId, ...ATTEMPT } = getTableColumns(deliveryAttempts);

export type Deliveries = ReturnType<typeof createDeliveries>;

/** The log of deliveries and of their attempts. */
export function createDeliveries({ orm }: Database, vault: Vault, now: () => number = Date.now) {
  return {
    ...createEventRecorder(orm, now),

    /** Read afresh before each attempt, since secrets rotate and endpoints go. */
    async context(deliveryId: string): Promise<DeliveryContext | undefined> {
      const [row] = await orm
        .select({
          delivery: RECORD,
          event: webhookEvents,
          endpoint: webhookEndpoints,
          accountSecret: accounts.webhookSecret,
        })
        .from(deliveries)
        .innerJoin(webhookEvents, eq(webhookEvents.id, deliveries.eventId))
        .innerJoin(accounts, eq(accounts.id, deliveries.accountId))
        .leftJoin(webhookEndpoints, eq(webhookEndpoints.id, deliveries.endpointId))
        .where(eq(deliveries.id, deliveryId));
      if (row === undefined) return undefined;
      const { createdAt: _createdAt, redeliveryOf: _redeliveryOf, ...delivery } = row.delivery;
      const { accountId: _accountId, ...event } = row.event;
      const base = { delivery, url: delivery.url, event };
      if (delivery.endpointId === null) {
        const secret = vault.open(row.accountSecret, webhookSecretPlace(row.delivery.accountId));
        return { ...base, secrets: [secret], endpointGone: false };
      }
      if (row.endpoint === null) return { ...base, secrets: [], endpointGone: true };
      const { id, previousSecret, previousSecretUntil, disabledAt } = row.endpoint;
      const secret = vault.open(row.endpoint.secret, secretPlace(id, 'secret'));
      const rotating = previousSecretUntil !== null && Date.parse(previousSecretUntil) > now();
      const secrets =
        rotating && previousSecret !== null
          ? [secret, vault.open(previousSecret, secretPlace(id, 'previous_secret'))]
          : [secret];
      return { ...base, secrets, endpointGone: disabledAt !== null };
    },

    /**
     * Logs an attempt and moves its delivery on, once for each number. An answer of 410 disables the endpoint and ends its
     * other deliveries.
     * @returns whether it was new
     */
    async recordAttempt(deliveryId: string, attempt: DeliveryAttempt, next: DeliveryProgress): Promise<boolean> {
      const insert = orm
        .insert(deliveryAttempts)
        .values({ deliveryId, ...attempt })
        .onConflictDoNothing()
        .returning({ id: deliveryAttempts.deliveryId });
      const { rows } = await orm.execute(sql`with logged as ${insert}, moved as (
        update ${deliveries} set attempts = greatest(attempts, ${attempt.number}::integer), status = ${next.status},
          next_attempt_at = ${next.nextAttemptAt}::timestamptz
        where id in (select delivery_id from logged) returning endpoint_id
      ), disabled as (
        update ${webhookEndpoints} set disabled_at = coalesce(disabled_at, ${attempt.at}::timestamptz)
        where ${attempt.outcome === 'gone'}::boolean and id in (select endpoint_id from moved) returning id
      ), ended as (
        update ${deliveries} set status = 'FAILED', next_attempt_at = null
        where status = 'PENDING' and id <> ${deliveryId} and endpoint_id in (select id from disabled)
      ) select endpoint_id from moved`);
      return rows.length > 0;
    },

    async get(accountId: string, id: string): Promise<LoggedDelivery | undefined> {
      const [delivery] = await orm
        .select(LOGGED)
        .from(deliveries)
        .innerJoin(webhookEvents, eq(webhookEvents.id, deliveries.eventId))
        .where(and(eq(deliveries.accountId, accountId), eq(deliveries.id, id)));
      return delivery;
    },

    /** The attempts of each of these deliveries, in order. */
    async attempts(accountId: string, ids: readonly string[]): Promise<Map<string, DeliveryAttempt[]>> {
      const byDelivery = new Map<string, DeliveryAttempt[]>(ids.map((id) => [id, []]));
      if (ids.length === 0) return byDelivery;
      const rows = await orm
        .select({ deliveryId: deliveryAttempts.deliveryId, attempt: ATTEMPT })
        .from(deliveryAttempts)
        .innerJoin(deliveries, eq(deliveries.id, deliveryAttempts.deliveryId))
        .where(and(eq(deliveries.accountId, accountId), inArray(deliveries.id, [...ids])))
        .orderBy(asc(deliveryAttempts.number));
      for (const { deliveryId, attempt } of rows) byDelivery.get(deliveryId)!.push(attempt);
      return byDelivery;
    },

    /**
     * Newest first.
     * @throws Failure BAD_USER_INPUT for a limit or a cursor that is not valid
     */
    async list(accountId: string, request: DeliveryPageRequest): Promise<Page<LoggedDelivery>> {
      const limit = rowsToAskFor(request);
      const after = timeCursor.decode(request.after);
      const rows = await orm
        .select(LOGGED)
        .from(deliveries)
        .innerJoin(webhookEvents, eq(webhookEvents.id, deliveries.eventId))
        .where(
          and(
            eq(deliveries.accountId, accountId),
            request.endpointId === undefined ? undefined : eq(deliveries.endpointId, request.endpointId),
            afterTime(deliveries.createdAt, deliveries.id, after),
          ),
        )
        .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
        .limit(limit);
      return toPage(rows, request, (last) => timeCursor.encode([last.createdAt, last.id]));
    },
  };
}
