import {
  bigint,
  bigserial,
  boolean,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import type { DisabledReason, SentEventKind, Subscription, WebhookFormat } from '@burnish/contract';
import type { DeliveryAttempt, DeliveryStatus } from '../../domain/events/delivery.ts';
import { accounts } from './accounts.ts';
import { isoTime, sealedAddress } from './column-types.ts';

export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    url: sealedAddress('url').notNull(),
    /** Host of the URL */
    host: text('host'),
    events: jsonb('events').$type<Subscription[]>().notNull(),
    format: text('format').$type<WebhookFormat>().notNull().default('BURNISH'),
    /** Encrypted by the vault, since it signs each delivery */
    secret: text('secret').notNull(),
    previousSecret: text('previous_secret'),
    previousSecretUntil: isoTime('previous_secret_until'),
    createdAt: isoTime('created_at').notNull(),
    disabledAt: isoTime('disabled_at'),
    /** Null while it is enabled */
    disabledReason: text('disabled_reason').$type<DisabledReason>(),
    /** The first failure since the last success */
    failingSince: isoTime('failing_since'),
  },
  (table) => [index('webhook_endpoints_account').on(table.accountId, table.createdAt)],
);

/** The upload of an event, also of one about its enhancement. Other events have an id of their own there, or none. */
const SUBJECT_OF_EVENT = sql.raw(`coalesce(data ->> 'uploadId', data ->> 'id')`);

/** Numbers the events for their readers (`event-log.ts`). */
export const eventPosition = pgSequence('webhook_event_position');

export const webhookEvents = pgTable(
  'webhook_events',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    event: text('event').$type<SentEventKind>().notNull(),
    data: jsonb('data').$type<Record<string, unknown>>().notNull(),
    /** For receivers of the format PUBLIC; null for events that it does not have */
    publicData: jsonb('public_data').$type<Record<string, unknown>>(),
    created: isoTime('created').notNull(),
    /** Whether it had a receiver: the log of deliveries keeps it */
    delivered: boolean('delivered').notNull().default(true),
    /** Order of the inserts, which may become visible in another one */
    recorded: bigserial('recorded', { mode: 'number' }).notNull(),
    /** Its place among all events; null until someone reads the events of the account */
    position: bigint('position', { mode: 'number' }),
  },
  (table) => [
    index('webhook_events_unnumbered')
      .on(table.accountId, table.recorded)
      .where(sql`position is null`),
    index('webhook_events_numbered')
      .on(table.accountId, table.position)
      .where(sql`position is not null`),
    index('webhook_events_of_subject').on(SUBJECT_OF_EVENT),
    index('webhook_events_undelivered')
      .on(table.created)
      .where(sql`not delivered`),
  ],
);

export const deliveries = pgTable(
  'deliveries',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Not a foreign key: the log outlives the endpoint */
    endpointId: text('endpoint_id'),
    url: sealedAddress('url').notNull(),
    /** Host of the URL */
    host: text('host'),
    eventId: text('event_id')
      .notNull()
      .references(() => webhookEvents.id),
    status: text('status').$type<DeliveryStatus>().notNull().default('PENDING'),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: isoTime('next_attempt_at'),
    redeliveryOf: text('redelivery_of'),
    /** Set if too many others to its receiver had no attempt yet: it waits without a workflow, or has been started since */
    held: text('held').$type<'waiting' | 'released'>(),
    /** Its workflow was seen alive, and is looked for again after this time */
    leasedUntil: isoTime('leased_until'),
    createdAt: isoTime('created_at').notNull(),
  },
  (table) => [
    index('deliveries_newest').on(table.accountId, table.createdAt.desc(), table.id.desc()),
    index('deliveries_of_event').on(table.eventId),
    index('deliveries_of_endpoint').on(table.endpointId),
    index('deliveries_failed')
      .on(table.endpointId, table.createdAt, table.id)
      .where(sql`status = 'FAILED'`),
    index('deliveries_repeats')
      .on(table.redeliveryOf)
      .where(sql`redelivery_of is not null`),
    index('deliveries_overdue')
      .on(sql`greatest(leased_until, next_attempt_at, created_at)`)
      .where(sql`status = 'PENDING' and held is distinct from 'waiting'`),
    index('deliveries_begun')
      .on(table.accountId, sql`coalesce(endpoint_id, host)`)
      .where(sql`status = 'PENDING' and attempts = 0 and coalesce(held, 'released') = 'released'`),
    index('deliveries_held')
      .on(table.accountId, sql`coalesce(endpoint_id, host)`, table.createdAt, table.id)
      .where(sql`status = 'PENDING' and held = 'waiting'`),
  ],
);

export const deliveryAttempts = pgTable(
  'delivery_attempts',
  {
    deliveryId: text('delivery_id')
      .notNull()
      .references(() => deliveries.id),
    number: integer('number').notNull(),
    at: isoTime('at').notNull(),
    httpStatus: integer('http_status'),
    latencyMs: integer('latency_ms').notNull(),
    answer: text('answer').notNull(),
    retryAfterMs: integer('retry_after_ms'),
    outcome: text('outcome').$type<DeliveryAttempt['outcome']>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
);
