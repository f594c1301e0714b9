import { and, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import { ATTEMPTS_AT_ONCE } from '../../domain/events/delivery.ts';
import type { SentEventKind } from '../../domain/events/events.ts';
import type { Orm } from '../database.ts';
import { deliveries, webhookEndpoints, webhookEvents } from '../schema/webhooks.ts';

/** Maximum number of deliveries to an endpoint whose last attempt failed, which begin before one of them has an attempt. */
const BEGUN_WHILE_FAILING = 1;

/** Maximum number of receivers in one look. */
const RECEIVERS_AT_ONCE = 50;

/** A waiting delivery whose turn has come. */
export interface ReleasedDelivery {
  deliveryId: string;
  accountId: string;
  url: string;
  eventKind: SentEventKind;
  uploadId: string | null;
  /** Attempts before it waited */
  attempts: number;
}

const OF_RECEIVER = sql.raw(String(ATTEMPTS_AT_ONCE.ofReceiver));
const OF_ACCOUNT = sql.raw(String(ATTEMPTS_AT_ONCE.ofAccount));
// Literals, so that PostgreSQL can use the partial indexes.
const IS_BEGUN = sql.raw(`status = 'PENDING' and attempts = 0 and coalesce(held, 'released') = 'released'`);
const IS_HELD = sql.raw(`status = 'PENDING' and held = 'waiting'`);
/** An endpoint, or the host of the URL of an upload */
const RECEIVER = sql.raw(`coalesce(endpoint_id, split_part(url, '/', 3))`);

const begunOf = (accountId: SQL): SQL => sql`(select count(*) from (
    select from ${deliveries} where ${IS_BEGUN} and account_id = ${accountId} limit ${OF_ACCOUNT}) as begun)`;
const begunTo = (accountId: SQL, receiver: SQL): SQL => sql`(select count(*) from (
    select from ${deliveries} where ${IS_BEGUN} and account_id = ${accountId} and ${RECEIVER} = ${receiver}
    limit ${OF_RECEIVER}) as begun)`;
/**
 * Maximum number of deliveries to a receiver that begin before one of them has an attempt: as many as it has permits. Further ones
 * wait in the database, where they cost the workflow service nothing.
 */
const limitOf = (receiver: SQL): SQL => sql`case when exists (
    select from ${webhookEndpoints} where ${webhookEndpoints.id} = ${receiver} and ${webhookEndpoints.failingSince} is not null)
  then ${sql.raw(String(BEGUN_WHILE_FAILING))} else ${OF_RECEIVER} end`;

/** The column `held` of a new delivery: it waits behind those that wait, and while its receiver or its account has its number. */
export function heldIfBusy(
  account: SQL,
  { endpointId, url }: Record<'endpointId' | 'url', SQL>,
): SQL<'waiting' | null> {
  const receiver = sql`coalesce(${endpointId}, split_part(${url}, '/', 3))`;
  return sql`case when exists (
      select from ${deliveries} where ${IS_HELD} and account_id = ${account} and ${RECEIVER} = ${receiver})
    or ${begunTo(account, receiver)} >= ${limitOf(receiver)} or ${begunOf(account)} >= ${OF_ACCOUNT} then 'waiting' end`;
}

/** The waiting deliveries that their receivers and accounts have room for, oldest first. */
export async function findReleasable(orm: Orm, uploadId: SQL<string | null>): Promise<ReleasedDelivery[]> {
  const begun = begunTo(sql`receiver.account_id`, sql`receiver.receiver`);
  const { rows } = await orm.execute(sql`select next.id as "deliveryId", next.account_id as "accountId", next.url,
      next.attempts, ${webhookEvents.event} as "eventKind", ${uploadId} as "uploadId"
    from (
      select receiver.account_id, due.*,
        row_number() over (partition by receiver.account_id order by due.created_at, due.id) as rank
      from (select distinct account_id, ${RECEIVER} as receiver from ${deliveries} where ${IS_HELD}
        limit ${sql.raw(String(RECEIVERS_AT_ONCE))}) as receiver
      cross join lateral (select id, url, attempts, event_id, created_at from ${deliveries}
        where ${IS_HELD} and account_id = receiver.account_id and ${RECEIVER} = receiver.receiver
        order by created_at, id limit greatest(0, ${limitOf(sql`receiver.receiver`)} - ${begun})) as due
    ) as next
    join ${webhookEvents} on ${webhookEvents.id} = next.event_id
    where next.rank <= ${OF_ACCOUNT} - ${begunOf(sql`next.account_id`)}`);
  return rows as unknown as ReleasedDelivery[];
}

/** Lets a delivery without a workflow wait for its turn, as its receiver has no permit for its first attempt. */
export async function holdBack(orm: Orm, deliveryId: string): Promise<void> {
  await orm
    .update(deliveries)
    .set({ held: 'waiting' })
    .where(and(eq(deliveries.id, deliveryId), isNull(deliveries.held), sql`${deliveries.status} = 'PENDING'`));
}

/** The upload of an event, also of one about its enhancement */
const SUBJECT = sql`coalesce(${webhookEvents.data} ->> 'uploadId', ${webhookEvents.data} ->> 'id')`;

/** Lets the pending deliveries of an upload wait for their turn, since its workflow has gone. One with a workflow of its own keeps it. */
export async function holdLost(orm: Orm, uploadId: string): Promise<void> {
  await orm
    .update(deliveries)
    .set({ held: 'waiting' })
    .from(webhookEvents)
    .where(
      and(
        sql`${deliveries.status} = 'PENDING'`,
        sql`${deliveries.held} is distinct from 'waiting'`,
        eq(webhookEvents.id, deliveries.eventId),
        eq(SUBJECT, uploadId),
      ),
    );
}

/** Notes that these have a workflow. */
export async function noteReleased(orm: Orm, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  await orm
    .update(deliveries)
    .set({ held: 'released' })
    .where(inArray(deliveries.id, [...deliveryIds]));
}
