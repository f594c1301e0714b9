import type { PdfAnalysis } from '../../domain/analysis.ts';
import type { EnhancementProgress, EnhancementStatus } from '../../domain/enhancement.ts';
import type { FailureCode } from '../../domain/failures.ts';
import type { MediaType } from '../../domain/media.ts';
import type { UploadStatus, UploadSubStatus } from '../../domain/upload.ts';

/*
 * What the client reads of the REST interface's answers. Sizes are bytes, lengths pixels (0 for PDFs), durations
 * milliseconds, times ISO 8601.
 */

export interface EnhancementRecord {
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
  estimatedCredits: number | null;
  chargedCredits: number | null;
  /** Id of the enhancement whose stored result was used again, at no charge */
  reusedFrom: string | null;
  engine: { version: string; steps: string[]; notes: string[] } | null;
  errorCode: FailureCode | null;
  errorDetail: string | null;
}

export interface UploadRecord {
  id: string;
  status: UploadStatus;
  subStatus: UploadSubStatus | null;
  metadata: PdfAnalysis | null;
  originalFilename: string;
  filesize: number | null;
  mimetype: MediaType | null;
  width: number;
  height: number;
  errorCode: FailureCode | null;
  errorDetail: string | null;
}

export interface UploadWithEnhancements extends UploadRecord {
  enhancements: EnhancementRecord[];
}

export interface CreditsRecord {
  remainingCreditsThisPeriod: number;
  usedCreditsThisPeriod: number;
  periodStart: string;
  periodEnd: string;
}

/** What an event stream tells, in the order in which it happened. */
export type UploadEvent =
  | { kind: 'upload'; upload: UploadRecord }
  | { kind: 'enhancement'; enhancement: EnhancementRecord }
  | ({ kind: 'progress'; enhancementId: string } & EnhancementProgress);
