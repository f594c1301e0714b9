import { and, asc, eq, getTableColumns, gte, inArray, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { SentEventKind, WebhookEvent, WebhookFormat } from '@burnish/contract';
import type { DeliveryAttempt, DeliveryStatus, LoggedDelivery } from '../../domain/events/delivery.ts';
import { formattedEvent, webhookBody } from '../../domain/events/sign-webhook.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Orm } from '../database.ts';
import { afterTime, newestFirst, rowsToAskFor, timeCursor, toPage, type Page, type PageRequest } from '../page.ts';
import type { SealedAddress } from '../schema/column-types.ts';
import { uploads } from '../schema/uploads.ts';
import { deliveries, deliveryAttempts, webhookEndpoints, webhookEvents } from '../schema/webhooks.ts';
import { createSecretAddresses } from '../secret-addresses.ts';

export interface DeliveryPageRequest extends PageRequest {
  endpointId?: string;
  status?: DeliveryStatus;
  /** Kind of the event */
  event?: SentEventKind;
  uploadId?: string;
}

const { held: _held, host: _host, leasedUntil: _leasedUntil, ...RECORD } = getTableColumns(deliveries);
/** The columns of a delivery that its log shows */
export const DELIVERY_RECORD = RECORD;
/** An event about an enhancement contains its upload's id; an event about an upload contains that id itself. */
export const uploadId = sql<string | null>`coalesce(${webhookEvents.data} ->> 'uploadId',
  case when ${webhookEvents.event} like 'upload.%' then ${webhookEvents.data} ->> 'id' end)`;
/** The event as its receivers get it */
export const EVENT = {
  id: webhookEvents.id,
  event: webhookEvents.event,
  data: webhookEvents.data,
  created: webhookEvents.created,
};
const LOGGED = {
  ...DELIVERY_RECORD,
  eventKind: webhookEvents.event,
  uploadId: uploadId.as('upload_id'),
  recordId: sql<string | null>`${webhookEvents.data} ->> 'id'`.as('record_id'),
  filename: uploads.originalFilename,
};
/** Events about an upload, as their index has them */
const ofUpload = (id: string) =>
  sql`coalesce(${webhookEvents.data} ->> 'uploadId', ${webhookEvents.data} ->> 'id') = ${id}`;
const { deliveryId: _deliveryId, ...ATTEMPT } = getTableColumns(deliveryAttempts);

type StoredDelivery = Omit<LoggedDelivery, 'url'> & { url: SealedAddress };

/** The log of deliveries, as their account reads it. */
export function createDeliveryLog(orm: Orm, vault: Vault) {
  const logged = () =>
    orm
      .select(LOGGED)
      .from(deliveries)
      .innerJoin(webhookEvents, eq(webhookEvents.id, deliveries.eventId))
      .leftJoin(uploads, eq(uploads.id, uploadId));
  const { openIn } = createSecretAddresses(vault);
  const opened = (row: StoredDelivery): LoggedDelivery => openIn(row, 'url');
  return {
    /**
     * Failed deliveries to an endpoint that have not been repeated, oldest first.
     * @param since ISO 8601, inclusive
     */
    async failedSince(accountId: string, endpointId: string, since: string, limit: number): Promise<LoggedDelivery[]> {
      const repeat = alias(deliveries, 'repeat');
      const rows = await logged()
        .where(
          and(
            eq(deliveries.accountId, accountId),
            eq(deliveries.endpointId, endpointId),
            sql`${deliveries.status} = 'FAILED'`,
            gte(deliveries.createdAt, since),
            notExists(
              orm
                .select({ one: sql`1` })
                .from(repeat)
                .where(eq(repeat.redeliveryOf, deliveries.id)),
            ),
          ),
        )
        .orderBy(asc(deliveries.createdAt), asc(deliveries.id))
        .limit(limit);
      return rows.map(opened);
    },

    async get(accountId: string, id: string): Promise<LoggedDelivery | undefined> {
      const [delivery] = await logged().where(and(eq(deliveries.accountId, accountId), eq(deliveries.id, id)));
      return delivery && opened(delivery);
    },

    /** The body of a delivery, as its receiver gets it; undefined for an unknown delivery. */
    async body(accountId: string, id: string): Promise<string | undefined> {
      const [row] = await orm
        .select({ event: EVENT, publicData: webhookEvents.publicData, format: webhookEndpoints.format })
        .from(deliveries)
        .innerJoin(webhookEvents, eq(webhookEvents.id, deliveries.eventId))
        .leftJoin(webhookEndpoints, eq(webhookEndpoints.id, deliveries.endpointId))
        .where(and(eq(deliveries.accountId, accountId), eq(deliveries.id, id)));
      return row && webhookBody(formattedEvent(row.event, ofFormat(row)));
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
     * Deliveries, newest first.
     * @throws Failure BAD_USER_INPUT for an invalid limit or cursor
     */
    async list(accountId: string, request: DeliveryPageRequest): Promise<Page<LoggedDelivery>> {
      const limit = rowsToAskFor(request);
      const after = timeCursor.decode(request.after);
      const rows = await logged()
        .where(
          and(
            eq(deliveries.accountId, accountId),
            request.endpointId === undefined ? undefined : eq(deliveries.endpointId, request.endpointId),
            request.status === undefined ? undefined : eq(deliveries.status, request.status),
            request.event === undefined ? undefined : eq(webhookEvents.event, request.event),
            request.uploadId === undefined ? undefined : ofUpload(request.uploadId),
            afterTime(deliveries.createdAt, deliveries.id, after),
          ),
        )
        .orderBy(...newestFirst(deliveries.createdAt, deliveries.id))
        .limit(limit);
      return toPage(rows.map(opened), request, (last) => timeCursor.encode([last.createdAt, last.id]));
    },
  };
}

/** The data for an endpoint of the format PUBLIC; undefined for another one. */
export function ofFormat({
  event,
  publicData,
  format,
}: {
  event: WebhookEvent;
  publicData: Record<string, unknown> | null;
  format: WebhookFormat | null;
}): Record<string, unknown> | undefined {
  return format === 'PUBLIC' ? (publicData ?? event.data) : undefined;
}
