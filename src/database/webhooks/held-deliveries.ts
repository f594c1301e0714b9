import { inArray, sql, type SQL } from 'drizzle-orm';
import type { SentEventKind } from '../../domain/events/events.ts';
import type { Orm } from '../database.ts';
import { deliveries, webhookEvents } from '../schema/webhooks.ts';

/**
 * Maximum number of deliveries to one receiver that begin before one of them has an attempt. Further ones wait in the database,
 * where they cost the workflow service nothing. A receiver that answers never has so many.
 */
export const BEGUN_AT_ONCE = 24;

/** Maximum number of receivers in one look. */
const RECEIVERS_AT_ONCE = 50;

/** A waiting delivery whose turn has come. */
export interface ReleasedDelivery {
  deliveryId: string;
  accountId: string;
  url: string;
  eventKind: SentEventKind;
  uploadId: string | null;
}

// Literals, so that PostgreSQL can use the partial indexes.
const IS_BEGUN = sql.raw(
  `status = 'PENDING' and attempts = 0 and listener_seq is null and coalesce(held, 'released') = 'released'`,
);
const IS_HELD = sql.raw(`status = 'PENDING' and held = 'waiting'`);

const toReceiver = (accountId: SQL, receiver: SQL): SQL =>
  sql`account_id = ${accountId} and coalesce(endpoint_id, '') = ${receiver}`;

const begunTo = (accountId: SQL, receiver: SQL): SQL =>
  sql`(select count(*) from (
    select from ${deliveries} where ${IS_BEGUN} and ${toReceiver(accountId, receiver)} limit ${sql.raw(String(BEGUN_AT_ONCE))}
  ) as begun)`;

/**
 * The column `held` of a new delivery: it waits behind those that wait, and while its receiver has its number.
 * @param endpointId null for the addresses of uploads, which count as one receiver
 */
export function heldIfBusy(accountId: string, endpointId: string | null): SQL<'waiting' | null> {
  const [account, receiver] = [sql`${accountId}`, sql`${endpointId ?? ''}`];
  return sql`case when exists (select from ${deliveries} where ${IS_HELD} and ${toReceiver(account, receiver)})
    or ${begunTo(account, receiver)} >= ${sql.raw(String(BEGUN_AT_ONCE))} then 'waiting' end`;
}

/** The waiting deliveries that their receivers have room for, oldest first. */
export async function findReleasable(orm: Orm, uploadId: SQL<string | null>): Promise<ReleasedDelivery[]> {
  const room = sql`${sql.raw(String(BEGUN_AT_ONCE))} - ${begunTo(sql`receiver.account_id`, sql`receiver.receiver`)}`;
  const { rows } = await orm.execute(sql`select next.id as "deliveryId", next.account_id as "accountId", next.url,
      ${webhookEvents.event} as "eventKind", ${uploadId} as "uploadId"
    from (select distinct account_id, coalesce(endpoint_id, '') as receiver from ${deliveries} where ${IS_HELD}
      limit ${sql.raw(String(RECEIVERS_AT_ONCE))}) as receiver
    cross join lateral (select id, account_id, url, event_id from ${deliveries}
      where ${IS_HELD} and ${toReceiver(sql`receiver.account_id`, sql`receiver.receiver`)}
      order by created_at, id limit greatest(0, ${room})) as next
    join ${webhookEvents} on ${webhookEvents.id} = next.event_id`);
  return rows as unknown as ReleasedDelivery[];
}

/** Notes that these have a workflow. */
export async function noteReleased(orm: Orm, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  await orm
    .update(deliveries)
    .set({ held: 'released' })
    .where(inArray(deliveries.id, [...deliveryIds]));
}
