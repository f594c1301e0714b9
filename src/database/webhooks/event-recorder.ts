import { and, eq, sql, type SQL } from 'drizzle-orm';
import type { Orm } from '../database.ts';
import type { SealedReceiver } from '../secret-addresses.ts';
import { onceBuilt, prepareSql } from '../queries.ts';
import { enhancements } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';
import { deliveries, webhookEvents } from '../schema/webhooks.ts';
import {
  eventValues,
  RECORDED_EVENT,
  recordEventParts,
  type EventRow,
  type FormattedEvent,
  type PlannedDelivery,
} from './event-statement.ts';

export type { FormattedEvent, PlannedDelivery } from './event-statement.ts';

/** The record of an event. Its labels become part of the data. */
export interface EventSubject {
  table: 'uploads' | 'enhancements';
  id: string;
}

const recording = (name: string, labels?: SQL) =>
  onceBuilt((orm) => prepareSql(orm, name, sql`with ${recordEventParts(labels)} select ${RECORDED_EVENT}`));
const labelsOf = (
  table: typeof uploads | typeof enhancements,
): SQL => sql`select reference, custom_metadata from ${table}
  where id = ${sql.placeholder('subjectId')} and account_id = ${sql.placeholder('accountId')}`;

const RECORDING = {
  account: recording('account_event'),
  uploads: recording('upload_event', labelsOf(uploads)),
  enhancements: recording('enhancement_event', labelsOf(enhancements)),
};

export function createEventRecorder(orm: Orm, now: () => number) {
  return {
    /**
     * Records an event with its deliveries once, as `recordEventParts` says.
     * @returns the deliveries to push now; others wait for their turn (`held-deliveries.ts`)
     * @param own the webhook URL given with the upload
     * @param subject undefined for an event about the account
     */
    async recordEvent(
      accountId: string,
      event: FormattedEvent,
      own: SealedReceiver | null,
      subject?: EventSubject,
    ): Promise<PlannedDelivery[]> {
      const statement = RECORDING[subject?.table ?? 'account'](orm);
      const values = { ...eventValues({ ...event, own }, now()), accountId, subjectId: subject?.id };
      const record = async (): Promise<EventRow> => (await statement.execute(values)).rows[0]!['event'] as EventRow;
      const first = await record();
      return (first.missed ? await record() : first).deliveries;
    },

    /** Whether an event is stored. */
    async isRecorded(eventId: string): Promise<boolean> {
      const { id } = webhookEvents;
      return (await orm.select({ id }).from(webhookEvents).where(eq(id, eventId))).length > 0;
    },

    /**
     * Records a delivery that repeats another one on request: the same event to the same receiver. Once for each id.
     * @returns whether the other delivery exists
     */
    async recordRedelivery(accountId: string, id: string, redeliveryOf: string): Promise<boolean> {
      const { url, host, endpointId, eventId } = deliveries;
      const [repeated] = await orm
        .select({ url, host, endpointId, eventId })
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
  };
}
