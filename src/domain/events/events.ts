import type { CreditBalance, LowCreditLevel } from '../accounts/credits.ts';
import type { DisabledReason } from './disabling.ts';
import type { Upload, UploadStatus, UploadSubStatus } from '../upload/upload.ts';
import type { Enhancement } from '../enhancement/enhancement.ts';

interface EventFacts {
  /** The record that it is about */
  about: 'upload' | 'enhancement' | 'account';
  /** States of an upload; reaching one of them causes the event. One state causes one event. */
  causedBy?: readonly (UploadStatus | UploadSubStatus)[];
  data: (...records: never[]) => Record<string, unknown>;
  /** A sentence for people */
  words: string;
}

/** Every outgoing event (docs/contract.md). Workflows, API, dashboard and deliveries derive their lists from this table. */
const EVENTS = {
  'upload.status_update': {
    about: 'upload',
    causedBy: ['UPLOAD_FINISHED', 'UPLOAD_FAILED'],
    data: uploadEventData,
    words: 'An upload arrived or failed',
  },
  'upload.sub_status_update': {
    about: 'upload',
    causedBy: ['METADATA_ANALYZED_SUCCESSFULLY', 'METADATA_ANALYZED_FAILED'],
    data: analysisEventData,
    words: 'The analysis of a PDF changed its state',
  },
  'enhanced_image.status_update': {
    about: 'enhancement',
    data: enhancementEventData,
    words: 'An enhancement began, waits, finished or failed',
  },
  'credits.low': {
    about: 'account',
    data: lowCreditsEventData,
    words: 'Credits came down to 20 % of the period, or to 0',
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
} as const satisfies Record<string, EventFacts>;

export type EventKind = keyof typeof EVENTS;

export const EVENT_KINDS = Object.keys(EVENTS) as [EventKind, ...EventKind[]];

type UploadStates = Pick<Upload, 'status' | 'subStatus'>;

/** The event that a change of an upload causes; undefined for most changes. A change of status counts before one of sub-status. */
export function uploadEventOf(before: UploadStates, after: UploadStates): EventKind | undefined {
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

/** Data of an event about an upload. @throws Error for a kind that is about something else */
export function uploadEventDataOf(kind: EventKind, upload: Upload): Record<string, unknown> {
  const event = EVENTS[kind];
  if (event.about !== 'upload') throw new Error(`The event ${kind} is not about an upload.`);
  return event.data(upload);
}

/** The kind of a test event. Burnish sends it to one endpoint on request. */
export const TEST_EVENT_KIND = 'webhook.test';

/** Every kind that a receiver can get. */
export const SENT_EVENT_KINDS = [...EVENT_KINDS, TEST_EVENT_KIND] as const;
export type SentEventKind = (typeof SENT_EVENT_KINDS)[number];

/** A sentence for people on each kind. */
export const EVENT_WORDS: Record<SentEventKind, string> = {
  ...(Object.fromEntries(EVENT_KINDS.map((kind) => [kind, EVENTS[kind].words])) as Record<EventKind, string>),
  [TEST_EVENT_KIND]: 'A test event, on request',
};

/** The envelope that a webhook receiver gets as its JSON body. */
export interface WebhookEvent {
  /** `evt_…`; the same in every attempt, so that a receiver can drop duplicates */
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

/** Data of `upload.status_update`. */
export function uploadEventData(upload: Upload): Record<string, unknown> {
  return { ...analysisEventData(upload), errorCode: upload.errorCode };
}

/** Data of `enhanced_image.status_update`. It has no address of the result: the API signs a new one for each read. */
export function enhancementEventData(enhancement: Enhancement): Record<string, unknown> {
  return {
    id: enhancement.id,
    uploadId: enhancement.uploadId,
    status: enhancement.status,
    filename: enhancement.result?.filename ?? null,
    engineDuration: enhancement.engine?.durationMs ?? null,
    estimatedCredits: enhancement.estimatedCredits,
    chargedCredits: enhancement.chargedCredits,
    errorCode: enhancement.errorCode,
  };
}

/** Data of `credits.low`. @param level percent of what the period grants */
export function lowCreditsEventData(level: LowCreditLevel, balance: CreditBalance): Record<string, unknown> {
  return {
    level,
    grantedCreditsThisPeriod: balance.granted,
    remainingCreditsThisPeriod: balance.remaining,
    periodStart: balance.period.start,
    periodEnd: balance.period.end,
  };
}

/** Data of `webhook.disabled`. It has no address, which may hold a secret. */
export function disabledWebhookEventData(disabled: {
  id: string;
  disabledReason: DisabledReason;
  disabledAt: string;
  failingSince: string | null;
}): Record<string, unknown> {
  const { id, disabledReason, disabledAt, failingSince } = disabled;
  return { id, disabledReason, disabledAt, failingSince };
}

/** Data of `upload.deleted`. */
export function deletionEventData(upload: Upload): Record<string, unknown> {
  return { id: upload.id, status: upload.status, reason: upload.deletionReason, deletedAt: upload.deletedAt };
}
