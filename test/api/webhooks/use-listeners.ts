import { beforeEach } from '@jest/globals';
import {
  Burnish,
  type ListenedDelivery,
  type ListenOptions,
  type Receive,
  type WebhookDelivery,
  type WebhookListener,
  type WebhookListenerWithSecret,
} from '@burnish/client';
import { webhookEndpoints, webhookListeners } from '../../../src/database/schema/webhooks.ts';
import type { EventKind, WebhookEvent } from '../../../src/domain/events/events.ts';
import { newId } from '../../../src/domain/ids.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';

/** A gateway for tests of listeners, without any at the start of each test. */
export function useListeners() {
  const gateway = useGateway();
  const send = jsonRequests(() => gateway);
  const path = '/v1/webhook-listeners';

  beforeEach(async () => {
    gateway.temporal.starts.length = 0;
    gateway.clock.aheadMs = 0;
    await gateway.database.orm.delete(webhookListeners);
    await gateway.database.orm.delete(webhookEndpoints);
  });

  /** A program that listens until `stop`. */
  function listening(options: ListenOptions = {}, receive?: Receive, at: { url?: string; key?: string } = {}) {
    const { url = gateway.url, key = gateway.key } = at;
    const abort = new AbortController();
    const received: ListenedDelivery[] = [];
    const opened: WebhookListenerWithSecret[] = [];
    const onOpen = (listener: WebhookListenerWithSecret): void => void opened.push(listener);
    const ended = new Burnish({ baseUrl: url, apiKey: key }).webhooks
      .listen({ name: 'laptop', signal: abort.signal, onOpen, ...options }, (delivery) => {
        received.push(delivery);
        return receive?.(delivery);
      })
      .catch((error: unknown) => error as Error & { code?: string });
    return {
      received,
      opened,
      ended,
      /** Ids of the received events */
      ids: () => received.map(({ event }) => event.id),
      opens: () => until(() => opened[0]),
      receives: (count: number) => until(() => received[count - 1]),
      async stop() {
        abort.abort();
        await ended;
      },
    };
  }

  return {
    gateway,
    send,
    path,
    listening,
    open: async (body: object = { name: 'laptop' }): Promise<WebhookListenerWithSecret> =>
      (await send('POST', path, { body })).json(),
    listed: async (): Promise<WebhookListener[]> => (await (await send('GET', path)).json()).items,
    /** The log of a listener, newest first */
    log: async (id: string): Promise<WebhookDelivery[]> =>
      (await (await send('GET', `/v1/webhook-deliveries?webhookId=${id}&limit=100`)).json()).items,
    /** Records an event as a workflow does. @returns its id */
    async happen(event: EventKind = 'upload.status_update', accountId = gateway.account.id): Promise<string> {
      const id = newId('evt', Date.now());
      const created = new Date().toISOString();
      const happened: WebhookEvent = { id, event, data: { id: 'upl_1', text: 'ä' }, created };
      await gateway.records.deliveries.recordEvent(accountId, happened, null);
      return id;
    },
  };
}
