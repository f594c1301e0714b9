import { and, eq, inArray, isNotNull, isNull, sql, type SQL } from 'drizzle-orm';
import type { SentEventKind } from '@burnish/contract';
import { ATTEMPTS_AT_ONCE, BEGUN_WHILE_FAILING, type DeliveryStatus } from '../../domain/events/delivery.ts';
import type { Orm } from '../database.ts';
import { deliveries, webhookEvents } from '../schema/webhooks.ts';
import { statement } from '../statement.ts';

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

/**
 * The waiting deliveries that their receivers and accounts have room for: as many begin before one of them has an attempt as they
 * have permits. Further ones wait in the database, where they cost the workflow service nothing.
 */
const RELEASABLE = statement<ReleasedDelivery>(
  'releasable_deliveries',
  `
  with receivers as (
    select distinct account_id, coalesce(endpoint_id, host) as receiver from deliveries
    where status = 'PENDING' and held = 'waiting'
    limit ${RECEIVERS_AT_ONCE}
  ), bounded as (
    select account_id, receiver,
      case when exists (
        select from webhook_endpoints where id = receiver and failing_since is not null
      ) then ${BEGUN_WHILE_FAILING} else ${ATTEMPTS_AT_ONCE.ofReceiver} end - (
        select count(*) from (
          select from deliveries
          where status = 'PENDING' and attempts = 0 and coalesce(held, 'released') = 'released'
            and account_id = receivers.account_id and coalesce(endpoint_id, host) = receiver
          limit ${ATTEMPTS_AT_ONCE.ofReceiver}
        ) as begun
      ) as room
    from receivers
  ), due as (
    select bounded.account_id, waiting.*,
      row_number() over (partition by bounded.account_id order by waiting.created_at, waiting.id) as rank
    from bounded cross join lateral (
      select id, host, attempts, event_id, created_at from deliveries
      where status = 'PENDING' and held = 'waiting' and account_id = bounded.account_id
        and coalesce(endpoint_id, host) = bounded.receiver
      order by created_at, id
      limit greatest(0, bounded.room)
    ) as waiting
  )
  select due.id as "deliveryId", due.account_id as "accountId", due.host, due.attempts, webhook_events.event as "eventKind",
    -- An event about an enhancement contains its upload's id; an event about an upload contains that id itself.
    coalesce(data ->> 'uploadId', case when event like 'upload.%' then data ->> 'id' end) as "uploadId"
  from due join webhook_events on webhook_events.id = due.event_id
  where rank <= ${ATTEMPTS_AT_ONCE.ofAccount} - (
    select count(*) from (
      select from deliveries
      where status = 'PENDING' and attempts = 0 and coalesce(held, 'released') = 'released' and account_id = due.account_id
      limit ${ATTEMPTS_AT_ONCE.ofAccount}
    ) as begun
  )`,
);

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
    releasable(): Promise<ReleasedDelivery[]> {
      return RELEASABLE(orm, {});
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
