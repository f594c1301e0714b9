import type { Subscription, WebhookFormat } from '@burnish/contract';
import { listen, type ListenOptions, type Receive } from './listen.ts';
import { eachItem, type ListOptions } from './listing.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Webhook, WebhookDelivery, WebhookDeliveryWithBody, WebhookWithSecret } from './types.ts';

/** Which deliveries are listed. */
export interface DeliveryFilter {
  webhookId?: string;
  status?: WebhookDelivery['status'];
  event?: WebhookDelivery['event'];
  /** Also those about its enhancements */
  uploadId?: string;
}

/** The webhook endpoints of the account. All methods throw BurnishError, or the reason of an aborted signal. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** @param endpoint `events` absent: all kinds of this version; `['*']`: also those of later ones. The answer shows the secret once */
  create(
    endpoint: { url: string; events?: Subscription[]; format?: WebhookFormat },
    call?: CallOptions,
  ): Promise<WebhookWithSecret> {
    return this.#transport.json('POST', '/v1/webhooks', { ...call, json: endpoint });
  }

  get(id: string, call?: CallOptions): Promise<Webhook> {
    return this.#transport.json('GET', toPath(id), call);
  }

  /** At most 5, oldest first. */
  async list(call?: CallOptions): Promise<Webhook[]> {
    return (await this.#transport.json<{ items: Webhook[] }>('GET', '/v1/webhooks', call)).items;
  }

  /** Absent fields stay unchanged. */
  update(
    id: string,
    fields: { url?: string; events?: Subscription[]; format?: WebhookFormat; enabled?: boolean },
    call?: CallOptions,
  ): Promise<Webhook> {
    return this.#transport.json('PATCH', toPath(id), { ...call, json: fields });
  }

  async delete(id: string, call?: CallOptions): Promise<void> {
    await this.#transport.send('DELETE', toPath(id), call);
  }

  /** The old secret signs beside the new one for 24 hours. */
  rotateSecret(id: string, call?: CallOptions): Promise<WebhookWithSecret> {
    return this.#transport.json('POST', `${toPath(id)}/rotate-secret`, call);
  }

  /** Sends a test event to one endpoint. */
  test(id: string, call?: CallOptions): Promise<WebhookDelivery> {
    return this.#transport.json('POST', `${toPath(id)}/test`, call);
  }

  /** Repeats up to 100 failed deliveries since a time in ISO 8601. `more`: repeat the call. */
  redeliverFailed(id: string, since: string, call?: CallOptions): Promise<{ deliveryIds: string[]; more: boolean }> {
    return this.#transport.json('POST', `${toPath(id)}/redeliver-failed`, { ...call, json: { since } });
  }

  /** All deliveries, newest first; pages are read when they are needed. */
  deliveries(filter: ListOptions & DeliveryFilter = {}): AsyncGenerator<WebhookDelivery, void, undefined> {
    return eachItem(this.#transport, '/v1/webhook-deliveries', filter);
  }

  /** One delivery with the body that its receiver gets. */
  delivery(deliveryId: string, call?: CallOptions): Promise<WebhookDeliveryWithBody> {
    return this.#transport.json('GET', `/v1/webhook-deliveries/${encodeURIComponent(deliveryId)}`, call);
  }

  redeliver(deliveryId: string, call?: CallOptions): Promise<WebhookDelivery> {
    return this.#transport.json('POST', `/v1/webhook-deliveries/${encodeURIComponent(deliveryId)}/redeliver`, call);
  }

  /**
   * Receives the events of the account without a public address, one after the other, until the signal is aborted. Readers
   * are independent: each receives every event.
   * @param receive handles an event; `forwardTo(url, secret)` sends it on
   * @example
   * await burnish.webhooks.listen({}, forwardTo('http://localhost:8080/hook', 'whsec_…'));
   */
  listen(options: ListenOptions, receive: Receive): Promise<never> {
    return listen(this.#transport, options, receive);
  }
}

const toPath = (id: string): string => `/v1/webhooks/${encodeURIComponent(id)}`;
