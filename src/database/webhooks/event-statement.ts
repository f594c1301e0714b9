import { and, eq, isNull, sql, type Column, type SQL } from 'drizzle-orm';
import type { WebhookEvent } from '@burnish/contract';
import type { SealedReceiver } from '../secret-addresses.ts';
import { deliveries, webhookEndpoints, webhookEvents } from '../schema/webhooks.ts';
import { heldIfBusy } from './held-deliveries.ts';

export interface PlannedDelivery {
  /** Derived from the event and the endpoint: every repetition has the same id */
  id: string;
  /** Host of the receiver */
  host: string;
  /** Null for the webhook URL given with an upload */
  endpointId: string | null;
}

/** An event with its data for each format. */
export interface FormattedEvent extends WebhookEvent {
  /** For receivers of the format PUBLIC; absent or null: they get `data` */
  publicData?: Record<string, unknown> | null;
}

/** An event of an upload or an enhancement, as a step announces it. */
export interface AnnouncedEvent extends FormattedEvent {
  /** Webhook URL given with the upload; null for none */
  own: SealedReceiver | null;
}

const { placeholder } = sql;
const EVENT_ID = sql`${placeholder('eventId')}::text`;
const ACCOUNT_ID = sql`${placeholder('accountId')}::text`;
const RECORDED_AT = sql`${placeholder('recordedAt')}::timestamptz`;
const OWN_URL = sql`${placeholder('ownUrl')}::text`;
const OWN_HOST = sql`${placeholder('ownHost')}::text`;

/** Whether a receiver subscribes to the kind of the event. */
const subscribes = (events: Column): SQL =>
  sql`(${events} @> jsonb_build_array(${placeholder('eventKind')}::text) or ${events} @> '["*"]'::jsonb)`;

/** The endpoints of the account that subscribe to the event, and the URL of its upload. */
const RECEIVERS = sql`
  select ${webhookEndpoints.id} as endpoint_id, ${webhookEndpoints.url} as url, ${webhookEndpoints.host} as host
  from ${webhookEndpoints}
  where ${and(eq(webhookEndpoints.accountId, ACCOUNT_ID), isNull(webhookEndpoints.disabledAt), subscribes(webhookEndpoints.events))}
  union all
  select null, ${OWN_URL}, ${OWN_HOST} where ${OWN_URL} is not null`;

/**
 * Id of the first delivery of an event to a receiver: the same in each repetition.
 * @param endpointId null for the URL of an upload
 */
const plannedDeliveryId = (eventId: SQL, endpointId: SQL): SQL<string> => {
  const named = sql`${eventId} || chr(10) || coalesce(${endpointId}, '')`;
  return sql`'dlv_' || left(encode(sha256(convert_to(${named}, 'UTF8')), 'hex'), 26)`;
};

/** The caller's labels as part of the data of an event, from a row that has them. */
function labelsIn(labels: SQL): SQL {
  const given = (name: string, column: SQL): SQL =>
    sql`case when ${column} is null then '{}'::jsonb else jsonb_build_object(${name}::text, ${column}) end`;
  return sql`coalesce((
    select ${given('reference', sql`reference`)} || ${given('customMetadata', sql`custom_metadata`)}
    from (${labels}) as labels limit 1
  ), '{}'::jsonb)`;
}

/**
 * The parts of a statement that record an event once, with a delivery for each enabled endpoint that subscribes to it, and
 * for the upload's own URL. A repetition finds the original deliveries, even if receivers have changed since. Their placeholders are `accountId`, and those of `eventValues`.
 * @param labels a query of `reference` and `custom_metadata` of the record; undefined for an event about the account
 */
export function recordEventParts(labels?: SQL): SQL {
  const data = sql`${placeholder('eventData')}::jsonb`;
  const receiver = { endpointId: sql`receivers.endpoint_id`, host: sql`receivers.host` };
  return sql`recorded as (
    select id, host, endpoint_id, held from ${deliveries}
    where event_id = ${EVENT_ID} and account_id = ${ACCOUNT_ID} and redelivery_of is null
  ), receivers as (
    select * from (${RECEIVERS}) as receivers where ${EVENT_ID} is not null
  ), event as (
    insert into ${webhookEvents} (id, account_id, event, data, public_data, created, delivered)
    select ${EVENT_ID}, ${ACCOUNT_ID}, ${placeholder('eventKind')}::text,
      ${labels === undefined ? data : sql`${data} || ${labelsIn(labels)}`},
      ${placeholder('eventPublicData')}::jsonb, ${placeholder('eventCreated')}::timestamptz,
      exists (select from receivers)
    where ${EVENT_ID} is not null and not exists (select from recorded)
    on conflict do nothing returning id
  ), planned as (
    insert into ${deliveries} (id, account_id, endpoint_id, url, host, event_id, created_at, next_attempt_at, held)
    select ${plannedDeliveryId(sql`event.id`, receiver.endpointId)}, ${ACCOUNT_ID}, ${receiver.endpointId}, receivers.url, ${receiver.host},
      event.id, ${RECORDED_AT}, ${RECORDED_AT}, ${heldIfBusy(ACCOUNT_ID, receiver)}
    from receivers, event
    returning id, host, endpoint_id, held
  ), told as (select * from recorded union all select * from planned)`;
}

/** The column `event` of a statement with `recordEventParts`. */
export const RECORDED_EVENT = sql`jsonb_build_object(
    'deliveries', (
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'host', host, 'endpointId', endpoint_id) order by id collate "C"), '[]')
      from told where held is null
    ),
    'missed', exists (select from receivers) and not exists (select from told)
      and not exists (select from ${webhookEvents} where id = ${EVENT_ID})
  ) as event`;

/** The value of the column `event`. */
export interface EventRow {
  /** To push now; others wait for their turn (`held-deliveries.ts`) */
  deliveries: PlannedDelivery[];
  /** Another repetition has recorded the event meanwhile, and the statement does not see its deliveries */
  missed: boolean;
}

/** The result of a projection that records an event in the same statement. */
export interface Projected {
  applied: boolean;
  event: EventRow;
}

/** Values for the placeholders of `recordEventParts`. @param event null records nothing */
export function eventValues(event: AnnouncedEvent | null, nowMs: number): Record<string, string | null> {
  const { id = null, event: kind = null, data, publicData, created = null, own = null } = event ?? {};
  return {
    eventId: id,
    eventKind: kind,
    eventData: data === undefined ? null : JSON.stringify(data),
    eventPublicData: publicData ? JSON.stringify(publicData) : null,
    eventCreated: created,
    ownUrl: own?.url ?? null,
    ownHost: own?.host ?? null,
    recordedAt: new Date(nowMs).toISOString(),
  };
}
