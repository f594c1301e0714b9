import type {
  PdfAnalysis,
  DeletionReason,
  ProviderName,
  UploadStatus,
  UploadSubStatus,
  CustomMetadata,
} from '../upload/upload.ts';
import type { EnhancementStatus } from '../enhancement/enhancement.ts';
import type { FailureCode } from '../failures.ts';
import type { MediaType } from '../upload/media.ts';
import type { WaitingFor } from '../machinery.ts';
import type { EnhancementRepresentation } from './enhancement.ts';

/** An upload as the REST interface answers with it. Times are ISO 8601 in UTC with milliseconds. */
export interface UploadRepresentation {
  id: string;
  status: UploadStatus;
  /** Analysis of a PDF; null for images */
  subStatus: UploadSubStatus | null;
  /** Null while it runs and after its end */
  waitingFor: WaitingFor | null;
  metadata: PdfAnalysis | null;
  /** Bytes; null until the file is there, as are its type, extension and storage filename */
  filesize: number | null;
  /** By content */
  mimetype: MediaType | null;
  extension: string | null;
  originalFilename: string;
  /** Storage filename */
  filename: string | null;
  /** Pixels, after orientation; 0 for PDFs */
  width: number;
  height: number;
  /** Signed address of the original, valid for 24 hours, made afresh at each read */
  url: string | null;
  errorCode: FailureCode | null;
  errorDetail: string | null;
  /** Days that the file is kept */
  retentionDays: number;
  /** The caller's own id, as given at creation */
  reference: string | null;
  /** As given at creation */
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

/** An upload whose file comes by one PUT to `uploadUrl`. */
export interface SignedUploadRepresentation extends UploadWithEnhancementsRepresentation {
  uploadUrl: string;
  uploadUrlExpiresAt: string;
}

/** Something that happened to an upload or to an enhancement of it. */
export interface TimelineEntryRepresentation {
  at: string;
  subject: 'upload' | 'enhancement';
  /** Of the upload or of the enhancement */
  id: string;
  /** As it was then */
  status: UploadStatus | EnhancementStatus;
  /** What happened, in words */
  sentence: string;
}
