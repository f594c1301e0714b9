import type { PdfAnalysis } from '../upload/pdf-analysis.ts';
import type { DeletionReason, ProviderName, UploadStatus, UploadSubStatus, CustomMetadata } from '../upload/upload.ts';
import type { EnhancementStatus } from '../enhancement/enhancement.ts';
import type { FailureCode } from '../failures.ts';
import type { MediaType } from '../../engine/contract/media.ts';
import type { WaitingFor } from '../machinery.ts';
import type { EnhancementRepresentation } from './enhancement.ts';

/** REST representation of an upload. Times are ISO 8601 in UTC with milliseconds. */
export interface UploadRepresentation {
  id: string;
  status: UploadStatus;
  /** Analysis of a PDF; null for images */
  subStatus: UploadSubStatus | null;
  /** Null during progress and after the end */
  waitingFor: WaitingFor | null;
  metadata: PdfAnalysis | null;
  /** Bytes; null before the file arrives, like its type, extension and storage filename */
  filesize: number | null;
  /** Detected from the content */
  mimetype: MediaType | null;
  extension: string | null;
  originalFilename: string;
  /** Storage filename */
  filename: string | null;
  /** Pixels, after orientation; 0 for PDFs */
  width: number;
  height: number;
  /** An image has an alpha channel; null for PDFs and before the inspection */
  hasAlpha: boolean | null;
  /** Signed URL of the original, the same for an hour, and valid for 23 to 24 hours */
  url: string | null;
  errorCode: FailureCode | null;
  errorDetail: string | null;
  /** Retention of the file in days */
  retentionDays: number;
  reference: string | null;
  customMetadata: CustomMetadata | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  /** Processing time of the upload, milliseconds */
  duration: number | null;
  deletedAt: string | null;
  deletionReason: DeletionReason | null;
  provider: Uppercase<ProviderName>;
}

/** An upload with its enhancements, oldest first. */
export interface UploadWithEnhancementsRepresentation extends UploadRepresentation {
  enhancements: EnhancementRepresentation[];
}

/** An upload whose file arrives with one PUT to `uploadUrl`. */
export interface SignedUploadRepresentation extends UploadWithEnhancementsRepresentation {
  uploadUrl: string;
  uploadUrlExpiresAt: string;
}

export interface TimelineEntryRepresentation {
  at: string;
  subject: 'upload' | 'enhancement';
  id: string;
  status: UploadStatus | EnhancementStatus;
  sentence: string;
}
