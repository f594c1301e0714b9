import type { PdfAnalysis } from './pdf-analysis.ts';
import type { FailureCode } from '../failures.ts';
import { MEDIA_TYPES, type MediaType } from '../engine/media.ts';
import type { WaitingFor } from '../machinery.ts';

export const UPLOAD_STATUSES = [
  'UPLOAD_PENDING',
  'UPLOAD_PROCESSING',
  'UPLOAD_FINISHED',
  'UPLOAD_FAILED',
  'UPLOAD_DELETED',
] as const;
export type UploadStatus = (typeof UPLOAD_STATUSES)[number];

export const UPLOAD_SUB_STATUSES = [
  'METADATA_ANALYZING',
  'METADATA_ANALYZED_SUCCESSFULLY',
  'METADATA_ANALYZED_FAILED',
] as const;
export type UploadSubStatus = (typeof UPLOAD_SUB_STATUSES)[number];

/** `test` belongs to test accounts. It has no part in the choice of a provider. */
export const PROVIDERS = ['local', 'hosted', 'test'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export interface StoredFile {
  /** Bytes */
  size: number;
  /** Hex SHA-256 of the bytes */
  sha256: string;
  /** Detected from the content, never from the name */
  mimetype: MediaType;
  /** The inspection found an alpha channel; absent before it, and for PDFs */
  hasAlpha?: boolean;
}

/** State of an upload. The upload's workflow is its only writer; `revision` increases with each change. */
export interface Upload {
  id: string;
  accountId: string;
  revision: number;
  status: UploadStatus;
  /** Null for images */
  subStatus: UploadSubStatus | null;
  /** Null during progress, or without pending work */
  waitingFor: WaitingFor | null;
  errorCode: FailureCode | null;
  errorDetail: string | null;
  originalFilename: string;
  /** Key of the original in storage; null before its arrival and after deletion */
  objectKey: string | null;
  file: StoredFile | null;
  /** Pixels, after orientation; 0 for PDFs */
  width: number;
  height: number;
  analysis: PdfAnalysis | null;
  /** Provider of the work; `hosted` becomes `local` when the upload falls back to the built-in engine */
  provider: ProviderName;
  /** Its id at the hosted service; null without one */
  remoteId: string | null;
  webhookUrl: string | null;
  retentionDays: number;
  /** Times are ISO 8601 in UTC with milliseconds */
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  deletedAt: string | null;
  deletionReason: DeletionReason | null;
}

/** Storage filename; null before the file arrives. */
export const storageFilename = ({ id, file }: Pick<Upload, 'id' | 'file'>): string | null =>
  file && `${id}.${MEDIA_TYPES[file.mimetype].extension}`;

/** Processing time in milliseconds; null before the end. */
export const processingTime = ({ startedAt, finishedAt }: Pick<Upload, 'startedAt' | 'finishedAt'>): number | null =>
  startedAt === null || finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt);

/** The status in the Web UI and in search. A finished upload has the status of its PDF analysis instead. */
export function shownStatus({ status, subStatus }: Pick<Upload, 'status' | 'subStatus'>): string {
  return status === 'UPLOAD_FINISHED' && subStatus !== null ? subStatus : status;
}

export type DeletionReason = 'user' | 'retention';

/** Maximum length of a reference in characters. */
export const MAX_REFERENCE_LENGTH = 200;
/** Maximum size of custom metadata as JSON text in UTF-8, bytes. */
export const MAX_CUSTOM_METADATA_BYTES = 4_000;

/** A JSON object. Workflows never carry it, so that payloads stay small and Temporal stores no data of the caller's customers. */
export type CustomMetadata = Record<string, unknown>;

/** Labels that a caller attaches to an upload or an enhancement at its creation. They never change. */
export interface CallerLabels {
  /** The caller's own id, such as an order number; null without one */
  reference: string | null;
  customMetadata: CustomMetadata | null;
}

export type Labelled<Item> = Item & CallerLabels;
