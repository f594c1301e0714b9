import { and, eq } from 'drizzle-orm';
import type { Orm } from '../database.ts';
import type { SealedReceiver } from '../secret-addresses.ts';
import { deliveries, webhookEvents } from '../schema/webhooks.ts';
import { writeStep, type EventSubject, type FormattedEvent, type PlannedDelivery } from '../step.ts';

export function createEventRecorder(orm: Orm, now: () => number) {
  return {
    /**
     * Records an event with its deliveries once.
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
      const record = async () => (await writeStep(orm, { accountId, event: { ...event, own }, subject }, now())).event;
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
