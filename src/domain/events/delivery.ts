import type { SentEventKind } from './events.ts';

/** How much of a receiver's answer the log keeps. */
export const DELIVERY_ANSWER_BYTES = 1000;

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Deliveries that one request sends again. */
export const MAX_REDELIVERIES = 100;

/** What one attempt came to. */
export interface DeliveryAttempt {
  /** 1-based */
  number: number;
  at: string;
  /** HTTP status; null when no answer came */
  httpStatus: number | null;
  latencyMs: number;
  /** First bytes of the answer, or why none came */
  answer: string;
  /** Milliseconds that the receiver asked to wait, from `Retry-After` */
  retryAfterMs: number | null;
  outcome: 'delivered' | 'failed' | 'gone';
}

/** The state of one delivery of one event to one address. The delivery's workflow is its only writer. */
export interface Delivery {
  id: string;
  accountId: string;
  /** Registered endpoint; null for the address that an upload brought along */
  endpointId: string | null;
  url: string;
  eventId: string;
  status: DeliveryStatus;
  attempts: number;
  nextAttemptAt: string | null;
}

/** A delivery as its log shows it. */
export interface LoggedDelivery extends Delivery {
  eventKind: SentEventKind;
  /** The upload that the event is about; null for an event about the account */
  uploadId: string | null;
  /** The delivery that this one repeats, on request; null for the first */
  redeliveryOf: string | null;
  createdAt: string;
}
