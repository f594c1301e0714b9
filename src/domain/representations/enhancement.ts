import type { EngineReport, EnhancementStatus } from '../enhancement/enhancement.ts';
import type { CustomMetadata, ProviderName } from '../upload/upload.ts';
import type { FailureCode } from '../failures.ts';
import type { MediaType } from '../upload/media.ts';
import type { EnhancementParameters } from '../enhancement/parameters.ts';
import type { WaitingFor } from '../machinery.ts';

/** An enhancement as the REST interface answers with it. Times are ISO 8601 in UTC with milliseconds. */
export interface EnhancementRepresentation {
  id: string;
  uploadId: string;
  status: EnhancementStatus;
  /** Null while it runs and after its end */
  waitingFor: WaitingFor | null;
  /** Signed address of the result, valid for 24 hours, made afresh at each read; null unless FINISHED */
  fullUrl: string | null;
  /** Name of the result; null unless FINISHED, as are its type, size and extent */
  filename: string | null;
  mimetype: MediaType | null;
  /** Bytes */
  filesize: number | null;
  /** Size of the result in times of the original */
  growth: number | null;
  /** Pixels; 0 for PDFs */
  width: number | null;
  height: number | null;
  /** Milliseconds of engine time */
  engineDuration: number | null;
  errorCode: FailureCode | null;
  errorDetail: string | null;
  parameters: EnhancementParameters;
  /** Credits above which the estimate waits for approval; null: no review */
  maxCredits: number | null;
  /** Seconds to wait for credits; 0 fails at once */
  creditWait: number;
  estimatedCredits: number | null;
  chargedCredits: number | null;
  /** Id of the enhancement whose result was reused, at no charge */
  reusedFrom: string | null;
  provider: Uppercase<ProviderName>;
  /** How the result was made */
  engine: Required<Pick<EngineReport, 'version' | 'steps' | 'models' | 'notes'>> | null;
  /** The caller's own id, as given at creation */
  reference: string | null;
  /** As given at creation */
  customMetadata: CustomMetadata | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}
