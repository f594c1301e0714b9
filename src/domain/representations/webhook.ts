import type { DeliveryAttempt, DeliveryStatus } from '../events/delivery.ts';
import type { DisabledReason } from '../events/disabling.ts';
import type { EventKind, SentEventKind } from '../events/events.ts';

/** A webhook endpoint in answers of the REST interface. Times are ISO 8601 in UTC with milliseconds. */
export interface WebhookRepresentation {
  id: string;
  url: string;
  events: EventKind[];
  createdAt: string;
  /** Since then nothing is sent; null while it is enabled */
  disabledAt: string | null;
  disabledReason: DisabledReason | null;
  /** The first failure since the last success; null while deliveries succeed */
  failingSince: string | null;
}

export interface WebhookWithSecretRepresentation extends WebhookRepresentation {
  /** Signs the deliveries; null when an equal request has made it before */
  secret: string | null;
}

/** One event on its way to one address. */
export interface WebhookDeliveryRepresentation {
  id: string;
  /** The endpoint; null for the address that an upload brought */
  webhookId: string | null;
  url: string;
  /** The same in every attempt and in every delivery of the event */
  eventId: string;
  event: SentEventKind;
  status: DeliveryStatus;
  attempts: Omit<DeliveryAttempt, 'retryAfterMs'>[];
  nextAttemptAt: string | null;
  /** The delivery that this one repeats, on request */
  redeliveryOf: string | null;
  createdAt: string;
}
