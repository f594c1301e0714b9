import type { WebhookEndpoint } from '../../database/webhooks/webhook-endpoints.ts';
import type { LoggedDelivery } from '../../domain/events/delivery.ts';
import { builder } from '../graphql/builder.ts';

/* Record types that refer to each other; the files of their fields implement them. */

export const WebhookType = builder.objectRef<WebhookEndpoint>('Webhook');
export const WebhookDeliveryType = builder.objectRef<LoggedDelivery>('WebhookDelivery');
