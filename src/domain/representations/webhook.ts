import type { DeliveryAttempt, DeliveryStatus } from '../events/delivery.ts';
import type { DisabledReason } from '../events/disabling.ts';
import type { SentEventKind, Subscription } from '../events/events.ts';
import type { WebhookFormat } from '../events/public-event-data.ts';

/** REST representation of a webhook endpoint. Times are ISO 8601 in UTC with milliseconds. */
export interface WebhookRepresentation {
  id: string;
  url: string;
  events: Subscription[];
  format: WebhookFormat;
  createdAt: string;
  /** Time from which no events are sent; null for an enabled endpoint */
  disabledAt: string | null;
  disabledReason: DisabledReason | null;
  /** Time of the first failure since the last success; null while deliveries succeed */
  failingSince: string | null;
}

export interface WebhookWithSecretRepresentation extends WebhookRepresentation {
  /** Secret that signs deliveries; null when an identical earlier request created it */
  secret: string | null;
}

/** REST representation of a listener. */
export interface WebhookListenerRepresentation {
  id: string;
  name: string;
  events: Subscription[];
  createdAt: string;
  /** Latest contact */
  seenAt: string;
  /** Number of events that wait */
  waiting: number;
}

export interface WebhookListenerWithSecretRepresentation extends WebhookListenerRepresentation {
  /** Secret that signs its deliveries */
  secret: string;
}

export interface WebhookDeliveryRepresentation {
  id: string;
  /** The endpoint or the listener; null for the webhook URL of an upload */
  webhookId: string | null;
  url: string;
  /** Identical in every attempt and in every delivery of the event */
  eventId: string;
  event: SentEventKind;
  status: DeliveryStatus;
  attempts: Omit<DeliveryAttempt, 'retryAfterMs'>[];
  nextAttemptAt: string | null;
  /** The repeated delivery of a redelivery */
  redeliveryOf: string | null;
  createdAt: string;
}
