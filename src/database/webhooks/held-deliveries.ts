import { and, eq, inArray, isNotNull, isNull, sql, type SQL } from 'drizzle-orm';
import type { SentEventKind } from '@burnish/contract';
import { ATTEMPTS_AT_ONCE, type DeliveryStatus } from '../../domain/events/delivery.ts';
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
  /** Host of the receiver */
  host: string;
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
const RECEIVER = sql.raw(`coalesce(endpoint_id, host)`);

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
  { endpointId, host }: Record<'endpointId' | 'host', SQL>,
): SQL<'waiting' | null> {
  const receiver = sql`coalesce(${endpointId}, ${host})`;
  return sql`case when exists (
      select from ${deliveries} where ${IS_HELD} and account_id = ${account} and ${RECEIVER} = ${receiver})
    or ${begunTo(account, receiver)} >= ${limitOf(receiver)} or ${begunOf(account)} >= ${OF_ACCOUNT} then 'waiting' end`;
}

/** A delivery that a workflow should have attempted by now. */
export interface OverdueDelivery {
  id: string;
  attempts: number;
  createdAt: string;
  /** It waited, and a workflow of its own was started */
  released: boolean;
  /** The upload or the batch of its event, whose workflow makes the first attempt; null for an event about the account */
  uploadId: string | null;
  batchId: string | null;
}

/** When a workflow should have attempted it. Its index has the same expression and the same condition. */
const DUE_AT = sql.raw('greatest(leased_until, next_attempt_at, created_at)');
const IS_OWNED = sql.raw(`status = 'PENDING' and held is distinct from 'waiting'`);

/**
 * Deliveries that wait for their turn, and those that a workflow should have attempted.
 * @param uploadId the upload of the event
 */
export function createHeldDeliveries(orm: Orm, uploadId: SQL<string | null>) {
  return {
    /** The waiting deliveries that their receivers and accounts have room for, oldest first for each receiver. */
    async releasable(): Promise<ReleasedDelivery[]> {
      const begun = begunTo(sql`receiver.account_id`, sql`receiver.receiver`);
      const { rows } = await orm.execute(sql`select next.id as "deliveryId", next.account_id as "accountId", next.host,
          next.attempts, ${webhookEvents.event} as "eventKind", ${uploadId} as "uploadId"
        from (
          select receiver.account_id, due.*,
            row_number() over (partition by receiver.account_id order by due.created_at, due.id) as rank
          from (select distinct account_id, ${RECEIVER} as receiver from ${deliveries} where ${IS_HELD}
            limit ${sql.raw(String(RECEIVERS_AT_ONCE))}) as receiver
          cross join lateral (select id, host, attempts, event_id, created_at from ${deliveries}
            where ${IS_HELD} and account_id = receiver.account_id and ${RECEIVER} = receiver.receiver
            order by created_at, id limit greatest(0, ${limitOf(sql`receiver.receiver`)} - ${begun})) as due
        ) as next
        join ${webhookEvents} on ${webhookEvents.id} = next.event_id
        where next.rank <= ${OF_ACCOUNT} - ${begunOf(sql`next.account_id`)}`);
      return rows as unknown as ReleasedDelivery[];
    },

    /** Lets a delivery wait whose first attempt found no permit. Nothing changes if it waited before. */
    async holdBack(deliveryId: string): Promise<void> {
      await orm
        .update(deliveries)
        .set({ held: 'waiting' })
        .where(and(eq(deliveries.id, deliveryId), isNull(deliveries.held), sql`${deliveries.status} = 'PENDING'`));
    },

    /** Notes that these waiting deliveries have a workflow. */
    async noteReleased(deliveryIds: readonly string[]): Promise<void> {
      if (deliveryIds.length === 0) return;
      await orm
        .update(deliveries)
        .set({ held: 'released' })
        .where(inArray(deliveries.id, [...deliveryIds]));
    },

    /** Deliveries that a workflow should have attempted before a time, the longest overdue first. @param before ISO 8601 */
    overdue(before: string, limit: number): Promise<OverdueDelivery[]> {
      return orm
        .select({
          id: deliveries.id,
          attempts: deliveries.attempts,
          createdAt: deliveries.createdAt,
          released: sql<boolean>`${deliveries.held} is not null`,
          uploadId,
          batchId: sql<
            string | null
          >`case when ${webhookEvents.event} like 'batch.%' then ${webhookEvents.data} ->> 'id' end`,
        })
        .from(deliveries)
        .innerJoin(webhookEvents, eq(webhookEvents.id, deliveries.eventId))
        .where(and(IS_OWNED, sql`${DUE_AT} < ${before}::timestamptz`))
        .orderBy(DUE_AT)
        .limit(limit);
    },

    /** Notes that the workflow of a delivery was seen alive. @param until ISO 8601; it is not overdue before */
    async lease(deliveryId: string, until: string): Promise<void> {
      await orm.update(deliveries).set({ leasedUntil: until }).where(eq(deliveries.id, deliveryId));
    },

    /** Lets all deliveries be looked at again once they are due, as their workflows may be lost. */
    async endLeases(): Promise<void> {
      await orm
        .update(deliveries)
        .set({ leasedUntil: null })
        .where(and(IS_OWNED, isNotNull(deliveries.leasedUntil)));
    },

    /** Lets a delivery without a workflow wait for its turn. @returns false if it had an attempt meanwhile, or waits already */
    async holdLost({ id, attempts }: Pick<OverdueDelivery, 'id' | 'attempts'>): Promise<boolean> {
      const lost = await orm
        .update(deliveries)
        .set({ held: 'waiting' })
        .where(and(eq(deliveries.id, id), eq(deliveries.attempts, attempts), IS_OWNED))
        .returning({ id: deliveries.id });
      return lost.length > 0;
    },

    /** Ends a delivery whose log lacks the attempts that its workflow has made. */
    async end(deliveryId: string, status: Exclude<DeliveryStatus, 'PENDING'>): Promise<void> {
      await orm
        .update(deliveries)
        .set({ status, nextAttemptAt: null })
        .where(and(eq(deliveries.id, deliveryId), sql`${deliveries.status} = 'PENDING'`));
    },
  };
}
