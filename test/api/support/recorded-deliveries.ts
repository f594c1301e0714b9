import { beforeEach } from '@jest/globals';
import { type WebhookEvent, newId } from '@burnish/contract';
import { deliveries, deliveryAttempts, webhookEndpoints } from '../../../src/database/schema/webhooks.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { useForFile } from '../../support/use-for.ts';
import type { useLivingGateway } from './living-gateway.ts';
import { jsonRequests } from './requests.ts';

/** Events of a gateway without an upload, and a receiver of them. Each test begins without endpoints and deliveries. */
export function useRecordedDeliveries(living: ReturnType<typeof useLivingGateway>) {
  const receiver = useForFile(webhookReceiver);
  const send = jsonRequests(() => living.gateway);
  beforeEach(async () => {
    receiver.deliveries.length = 0;
    for (const table of [deliveryAttempts, deliveries, webhookEndpoints])
      await living.gateway.database.orm.delete(table);
  });
  return {
    receiver,
    send,
    anEvent(): WebhookEvent {
      const created = new Date().toISOString();
      return { id: newId('evt', Date.now()), event: 'upload.deleted', data: { id: newId('upl', Date.now()) }, created };
    },
    /** @returns the ids of the deliveries to begin */
    async record(event: WebhookEvent, uploadUrl: string | null = null): Promise<string[]> {
      const { account, records } = living.gateway;
      return (await records.deliveries.recordEvent(account.id, event, uploadUrl)).map(({ id }) => id);
    },
    /** @returns the id of a new endpoint at a path of the receiver */
    async register(path: string): Promise<string> {
      const body = { url: `${receiver.url}/${path}` };
      return ((await (await send('POST', '/v1/webhooks', { body })).json()) as { id: string }).id;
    },
  };
}
