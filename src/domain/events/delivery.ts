import type { SentEventKind } from '@burnish/contract';

/** Maximum bytes of a receiver's response in the log. */
export const DELIVERY_ANSWER_BYTES = 1000;

const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * Attempts that may run at once in a process. Each of five endpoints of an account, and the URLs of its uploads together,
 * can have its share. A receiver whose last attempt had no answer in time has one at once, until it answers.
 */
export const ATTEMPTS_AT_ONCE = { ofReceiver: 12, ofSilentReceiver: 1, ofAccount: 72 } as const;

/** Maximum number of deliveries to an endpoint whose last attempt failed, which begin before one of them has an attempt. */
export const BEGUN_WHILE_FAILING = 1;

/** Maximum number of redeliveries per request. */
export const MAX_REDELIVERIES = 100;

export interface DeliveryAttempt {
  /** 1-based */
  number: number;
  at: string;
  /** HTTP status; null without a response */
  httpStatus: number | null;
  latencyMs: number;
  /** First bytes of the response, or the reason for its absence */
  answer: string;
  /** Delay that the receiver requested with `Retry-After`, in milliseconds */
  retryAfterMs: number | null;
  outcome: 'delivered' | 'failed' | 'gone';
}

/** State of one delivery of one event to one receiver. The delivery's workflow writes it. */
export interface Delivery {
  id: string;
  accountId: string;
  /** Registered endpoint; null for the webhook URL of an upload */
  endpointId: string | null;
  url: string;
  eventId: string;
  status: DeliveryStatus;
  attempts: number;
  nextAttemptAt: string | null;
}

export interface LoggedDelivery extends Delivery {
  eventKind: SentEventKind;
  /** Upload of the event; null for an event about a batch or the account */
  uploadId: string | null;
  /** Record that the event is about; null for an event about the account */
  recordId: string | null;
  /** Name of the file of the upload; null without one */
  filename: string | null;
  /** The repeated delivery of a redelivery; null for the first delivery */
  redeliveryOf: string | null;
  createdAt: string;
}
