import { countPending, type CountedBatch } from '../batch/batch.ts';
import type { CreditBalance, LowCreditLevel } from '../accounts/credits.ts';
import {
  type Upload,
  type UploadStatus,
  type UploadSubStatus,
  processingTime,
  storageFilename,
} from '../upload/upload.ts';
import { withoutPath } from '../enhancement/destination.ts';
import type { Enhancement } from '../enhancement/enhancement.ts';

/** Reasons for a disabled endpoint: it answered 410, it failed for `FAILING_LIMIT_MS`, or the account requested it. */
const DISABLED_REASONS = ['gone', 'failing', 'request'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Time of continuous failures after which an endpoint is disabled, milliseconds. */
export const FAILING_LIMIT_MS = 5 * 24 * 3_600_000;

interface EventFacts {
  about: 'upload' | 'enhancement' | 'account' | 'batch';
  /** States of an upload that cause the event. One state causes one event. */
  causedBy?: readonly (UploadStatus | UploadSubStatus)[];
  data: (...records: never[]) => Record<string, unknown>;
  words: string;
}

/** All outgoing events (docs/contract.md). Workflows, API, dashboard and deliveries derive their lists from this table. */
const EVENTS = {
  'upload.status_update': {
    about: 'upload',
    causedBy: ['UPLOAD_FINISHED', 'UPLOAD_FAILED'],
    data: uploadEventData,
    words: 'An upload finished or failed',
  },
  'upload.sub_status_update': {
    about: 'upload',
    causedBy: ['METADATA_ANALYZED_SUCCESSFULLY', 'METADATA_ANALYZED_FAILED'],
    data: analysisEventData,
    words: 'The analysis of a PDF changed its status',
  },
  'enhanced_image.status_update': {
    about: 'enhancement',
    data: enhancementEventData,
    words: 'An enhancement changed its status',
  },
  'credits.low': {
    about: 'account',
    data: lowCreditsEventData,
    words: 'Remaining credits fell to 20 % or 0 % of the granted credits',
  },
  'webhook.disabled': {
    about: 'account',
    data: disabledWebhookEventData,
    words: 'Burnish disabled a webhook endpoint',
  },
  'upload.deleted': {
    about: 'upload',
    causedBy: ['UPLOAD_DELETED'],
    data: deletionEventData,
    words: 'An upload was deleted',
  },
  'batch.approval_needed': {
    about: 'batch',
    data: batchEventData,
    words: 'The samples of a batch have ended, and the rest waits for approval',
  },
  'batch.half_done': { about: 'batch', data: batchEventData, words: 'Half of the items of a batch have ended' },
  'batch.trouble': {
    about: 'batch',
    data: batchEventData,
    words: 'A batch paused for lack of credits, or a fifth of its items failed',
  },
  'batch.ended': { about: 'batch', data: batchEventData, words: 'All items of a batch have ended' },
} as const satisfies Record<string, EventFacts>;

export type EventKind = keyof typeof EVENTS;
export const BATCH_EVENT_KINDS = [
  'batch.approval_needed',
  'batch.half_done',
  'batch.trouble',
  'batch.ended',
] as const satisfies readonly EventKind[];
export type BatchEventKind = (typeof BATCH_EVENT_KINDS)[number];

export const EVENT_KINDS = Object.keys(EVENTS) as [EventKind, ...EventKind[]];

/** What an endpoint can subscribe to: kinds, or all kinds, also those that later versions add. */
export const SUBSCRIPTIONS = ['*', ...EVENT_KINDS] as const;
export type Subscription = (typeof SUBSCRIPTIONS)[number];

/** Subscriptions as they are stored: kinds in the order of the table, or `*` alone. */
export const toSubscriptions = (given: readonly Subscription[]): Subscription[] =>
  given.includes('*') ? ['*'] : EVENT_KINDS.filter((kind) => given.includes(kind));

/** The key of the event about an ended destination. */
export const destinationEventKey = (enhancementId: string): string => `${enhancementId} destination`;

/** The key of the event about an ended enhancement. It is sent once, even if the end is written again. */
export const settledEventKey = (enhancementId: string): string => `${enhancementId} settled`;

type UploadStates = Pick<Upload, 'status' | 'subStatus'>;

/** Returns the event of a change of an upload; undefined for most changes. A change of status takes precedence over one of sub-status. */
export function findUploadEvent(before: UploadStates, after: UploadStates): EventKind | undefined {
  const reached = [
    after.status === before.status ? null : after.status,
    after.subStatus === before.subStatus ? null : after.subStatus,
  ];
  for (const state of reached) {
    const caused = Object.entries<EventFacts>(EVENTS).find(([, { causedBy }]) => state && causedBy?.includes(state));
    if (caused) return caused[0] as EventKind;
  }
  return undefined;
}

/**
 * Data of an event about an upload.
 * @throws Error for a kind about another record
 */
export function toUploadEventData(kind: EventKind, upload: Upload): Record<string, unknown> {
  const event = EVENTS[kind];
  if (event.about !== 'upload') throw new Error(`The event ${kind} is not about an upload.`);
  return event.data(upload);
}

/** The kind of a test event. Burnish sends it to one endpoint on request. */
export const TEST_EVENT_KIND = 'webhook.test';

export const SENT_EVENT_KINDS = [...EVENT_KINDS, TEST_EVENT_KIND] as const;
export type SentEventKind = (typeof SENT_EVENT_KINDS)[number];

export const EVENT_WORDS: Record<SentEventKind, string> = {
  ...(Object.fromEntries(EVENT_KINDS.map((kind) => [kind, EVENTS[kind].words])) as Record<EventKind, string>),
  [TEST_EVENT_KIND]: 'A requested test event',
};

/** The kinds of subscriptions that this version knows. */
export const subscribedKinds = (given: readonly Subscription[]): readonly EventKind[] =>
  EVENT_KINDS.filter((kind) => given.includes('*') || given.includes(kind));

/** Envelope of a webhook event, the JSON body of a delivery. */
export interface WebhookEvent {
  /** `evt_…`; identical in every attempt, so that a receiver can drop duplicates */
  id: string;
  event: SentEventKind;
  data: Record<string, unknown>;
  /** ISO 8601 */
  created: string;
}

/** Data of `upload.sub_status_update`: exactly the fields of the contract (docs/contract.md). */
export function analysisEventData({ id, status, subStatus, analysis }: Upload): Record<string, unknown> {
  return { id, status, subStatus, metadata: analysis };
}

export function uploadEventData(upload: Upload): Record<string, unknown> {
  return { ...analysisEventData(upload), errorCode: upload.errorCode };
}

/** Data of `enhanced_image.status_update`. It has no URL of the result, because the API signs a new URL for each read. */
export function enhancementEventData(enhancement: Enhancement): Record<string, unknown> {
  return {
    id: enhancement.id,
    uploadId: enhancement.uploadId,
    status: enhancement.status,
    filename: enhancement.result?.filename ?? null,
    engineDuration: enhancement.engine?.durationMs ?? null,
    estimatedCredits: enhancement.estimatedCredits,
    chargedCredits: enhancement.chargedCredits,
    unchanged: enhancement.engine && (enhancement.engine.unchanged ?? false),
    errorCode: enhancement.errorCode,
    destination: withoutPath(enhancement.destination),
  };
}

/**
 * Data of `credits.low`.
 * @param level percent of the period's grant
 */
export function lowCreditsEventData(level: LowCreditLevel, balance: CreditBalance): Record<string, unknown> {
  return {
    level,
    grantedCreditsThisPeriod: balance.granted,
    remainingCreditsThisPeriod: balance.remaining,
    periodStart: balance.period.start,
    periodEnd: balance.period.end,
  };
}

/** Data of `webhook.disabled`. It has no URL, which may contain a secret. */
export function disabledWebhookEventData(disabled: {
  id: string;
  disabledReason: DisabledReason;
  disabledAt: string;
  failingSince: string | null;
}): Record<string, unknown> {
  const { id, disabledReason, disabledAt, failingSince } = disabled;
  return { id, disabledReason, disabledAt, failingSince };
}

export function deletionEventData(upload: Upload): Record<string, unknown> {
  return { id: upload.id, status: upload.status, reason: upload.deletionReason, deletedAt: upload.deletedAt };
}

/** Data of the events about a batch. */
export function batchEventData(batch: CountedBatch): Record<string, unknown> {
  const { id, status, pauseReason, reference, items, running, finished, failed, cancelled, prediction } = batch;
  return {
    ...{ id, status, pauseReason, reference },
    counts: { items, pending: countPending(batch), running, finished, failed, cancelled },
    chargedCredits: batch.chargedCredits,
    maxCredits: batch.maxCredits,
    prediction,
  };
}

/** Data of events: Burnish's own, or that of the public service, whose clients switch by URL and key. */
export type WebhookFormat = 'BURNISH' | 'PUBLIC';

/** The events that the public service has. */
const PUBLIC_KINDS: readonly EventKind[] = ['upload.status_update', 'upload.sub_status_update'];

/** Data of an event about an upload for receivers of the format PUBLIC: exactly these 11 fields. @returns null for other kinds */
export function publicEventData(kind: EventKind, upload: Upload): Record<string, unknown> | null {
  if (!PUBLIC_KINDS.includes(kind)) return null;
  const { id, status, subStatus, file, originalFilename, startedAt, finishedAt, analysis } = upload;
  return {
    id,
    status,
    subStatus,
    filesize: file?.size ?? null,
    mimetype: file?.mimetype ?? null,
    originalFilename,
    filename: storageFilename(upload),
    startedAt,
    finishedAt,
    duration: processingTime(upload),
    metadata: analysis,
  };
}
