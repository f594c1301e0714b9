import { Webhook } from 'standardwebhooks';
import type { WebhookEvent } from '@burnish/contract';

export interface SignedWebhook {
  headers: Record<string, string>;
  /** JSON; the signature covers these bytes */
  body: string;
}

/**
 * The event as its receiver gets it.
 * @param publicData set for an endpoint of the format PUBLIC: the data of that format
 */
export const formattedEvent = (event: WebhookEvent, publicData?: Record<string, unknown>): WebhookEvent =>
  publicData === undefined ? event : { ...event, data: publicData };

/** The JSON that is sent and signed. */
export const webhookBody = (event: WebhookEvent): string => JSON.stringify(event);

/**
 * Builds the request of a delivery with the three headers of Standard Webhooks.
 * @param secrets `whsec_…`; during a rotation, each valid secret signs
 */
export function signWebhook(event: WebhookEvent, sentAt: Date, secrets: readonly string[]): SignedWebhook {
  const body = webhookBody(event);
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Burnish-Webhooks/1',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(event.id, sentAt, body)).join(' '),
    },
  };
}
