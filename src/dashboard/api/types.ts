/*
 * The bodies of the REST interface that the pages read. test/dashboard/body-types.ts holds them to the interface's own schemas.
 */
import type { PdfAnalysis } from '../../domain/analysis.ts';
import type { LedgerEntryKind } from '../../domain/credits.ts';
import type { DeliveryAttempt, DeliveryStatus } from '../../domain/delivery.ts';
import type { EnhancementStatus } from '../../domain/enhancement.ts';
import type { EventKind, SentEventKind } from '../../domain/events.ts';
import type { FailureCode } from '../../domain/failures.ts';
import type { MediaType } from '../../domain/media.ts';
import type { EnhancementParameters } from '../../domain/parameters.ts';
import type { Plan } from '../../domain/plans.ts';
import type { DeletionReason, UploadStatus, UploadSubStatus } from '../../domain/upload.ts';

/** A page of a list; `next` is the `after` of the next one. */
export interface Listing<Item> {
  items: Item[];
  next: string | null;
}

export interface Session {
  account: { name: string; plan: Plan };
  /** The API key that the session stands on, and ends with */
  key: { id: string; name: string };
  version: string;
  engineVersion: string;
  /** Where operators look at workflows; null where nobody said */
  temporalUi: { url: string; namespace: string } | null;
}

export interface Upload {
  id: string;
  status: UploadStatus;
  subStatus: UploadSubStatus | null;
  metadata: PdfAnalysis | null;
  filesize: number | null;
  mimetype: MediaType | null;
  extension: string | null;
  originalFilename: string;
  filename: string | null;
  width: number;
  height: number;
  url: string | null;
  errorCode: FailureCode | null;
  errorDetail: string | null;
  retentionDays: number;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  duration: number | null;
  deletedAt: string | null;
  deletionReason: DeletionReason | null;
}

export interface UploadWithEnhancements extends Upload {
  enhancements: Enhancement[];
}

export interface Enhancement {
  id: string;
  uploadId: string;
  status: EnhancementStatus;
  fullUrl: string | null;
  filename: string | null;
  mimetype: MediaType | null;
  filesize: number | null;
  width: number | null;
  height: number | null;
  engineDuration: number | null;
  errorCode: FailureCode | null;
  errorDetail: string | null;
  parameters: EnhancementParameters;
  maxCredits: number | null;
  creditWait: number;
  estimatedCredits: number | null;
  chargedCredits: number | null;
  reusedFrom: string | null;
  engine: { version: string; steps: string[]; notes: string[] } | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

export interface ApiKey {
  id: string;
  name: string;
  prefix: string;
  createdAt: string;
  lastUsedAt: string | null;
}

export interface ApiKeyWithSecret extends ApiKey {
  /** Null when an equal request has made it before */
  key: string | null;
}

export interface Webhook {
  id: string;
  url: string;
  events: EventKind[];
  createdAt: string;
  disabledAt: string | null;
}

export interface WebhookWithSecret extends Webhook {
  /** Null when an equal request has made it before */
  secret: string | null;
}

export interface WebhookDelivery {
  id: string;
  webhookId: string | null;
  url: string;
  eventId: string;
  event: SentEventKind;
  status: DeliveryStatus;
  attempts: Omit<DeliveryAttempt, 'retryAfterMs'>[];
  nextAttemptAt: string | null;
  redeliveryOf: string | null;
  createdAt: string;
}

export interface Credits {
  remainingCreditsThisPeriod: number;
  usedCreditsThisPeriod: number;
  reservedCreditsThisPeriod: number;
  periodStart: string;
  periodEnd: string;
}

export interface Settings {
  uploadRetentionDays: number;
}

export interface LedgerEntry {
  seq: number;
  period: string;
  kind: LedgerEntryKind;
  credits: number;
  enhancementId: string | null;
  reference: string | null;
  at: string;
}
