import type { WebhookEvent } from '@burnish/contract';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Orm } from '../database.ts';
import { deliveries, webhookEvents } from '../schema/webhooks.ts';
import { createSecretAddresses } from '../secret-addresses.ts';
import type { EventSubject, FormattedEvent, PlannedDelivery } from '../step.ts';
import { createEventRecorder } from './event-recorder.ts';
import type { WebhookEndpoint } from './webhook-endpoints.ts';

/** The recorder of events for those that have an address as its caller gave it. */
export function createEventRecords(orm: Orm, vault: Vault, now: () => number) {
  const recorder = createEventRecorder(orm, now);
  const { sealReceiver } = createSecretAddresses(vault);
  return {
    ...recorder,

    /** As `recordEvent` of the recorder. @param webhookUrl given with the upload; null for none */
    recordEvent(
      accountId: string,
      event: FormattedEvent,
      webhookUrl: string | null,
      subject?: EventSubject,
    ): Promise<PlannedDelivery[]> {
      const own = webhookUrl === null ? null : sealReceiver(accountId, webhookUrl);
      return recorder.recordEvent(accountId, event, own, subject);
    },

    /** Records a test event with its delivery to one endpoint. Once for each id. */
    async recordTest(
      accountId: string,
      { id, endpoint, event }: { id: string; endpoint: Pick<WebhookEndpoint, 'id' | 'url'>; event: WebhookEvent },
    ): Promise<void> {
      const at = new Date(now()).toISOString();
      const target = { id, ...sealReceiver(accountId, endpoint.url), endpointId: endpoint.id };
      await orm.transaction(async (tx) => {
        const fresh = await tx
          .insert(webhookEvents)
          .values({ ...event, accountId })
          .onConflictDoNothing()
          .returning({ id: webhookEvents.id });
        if (fresh.length === 0) return;
        await tx
          .insert(deliveries)
          .values({ ...target, accountId, eventId: event.id, createdAt: at, nextAttemptAt: at });
      });
    },
  };
}
