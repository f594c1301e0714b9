import type { Upload } from '../upload/upload.ts';
import type { Enhancement } from '../enhancement/enhancement.ts';

/** Kinds of outgoing events (docs/contract.md). */
export const EVENT_KINDS = [
  'upload.status_update',
  'upload.sub_status_update',
  'enhanced_image.status_update',
  'upload.deleted',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Sent to one endpoint on request, whichever kinds it wants; nothing has happened. */
export const TEST_EVENT_KIND = 'webhook.test';

/** Every kind that a receiver can be sent. */
export const SENT_EVENT_KINDS = [...EVENT_KINDS, TEST_EVENT_KIND] as const;
export type SentEventKind = (typeof SENT_EVENT_KINDS)[number];

/** The envelope that a webhook receiver gets as its JSON body. */
export interface WebhookEvent {
  /** `evt_…`; the same in every attempt, so that a receiver can drop duplicates */
  id: string;
  event: SentEventKind;
  data: Record<string, unknown>;
  /** ISO 8601 */
  created: string;
}

/** Data of `upload.sub_status_update`: what the contract lists, and nothing else (docs/contract.md). */
export function analysisEventData({ id, status, subStatus, analysis }: Upload): Record<string, unknown> {
  return { id, status, subStatus, metadata: analysis };
}

/** Data of `upload.status_update`. */
export function uploadEventData(upload: Upload): Record<string, unknown> {
  return { ...analysisEventData(upload), errorCode: upload.errorCode };
}

/** Data of `enhanced_image.status_update`. The result's address is read through the API, since it is signed afresh. */
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

/** Data of `upload.deleted`. */
export function deletionEventData(upload: Upload): Record<string, unknown> {
  return { id: upload.id, status: upload.status, reason: upload.deletionReason, deletedAt: upload.deletedAt };
}
