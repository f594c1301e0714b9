import type { EngineReport, EnhancementStatus } from '../enhancement/enhancement.ts';
import type { EnhancementProgress } from '../../engine/contract/progress.ts';
import type { Fidelity } from '../../engine/contract/fidelity.ts';
import type { Destination } from '../enhancement/destination.ts';
import type { CustomMetadata, ProviderName } from '../upload/upload.ts';
import type { FailureCode } from '../failures.ts';
import type { MediaType } from '../../engine/contract/media.ts';
import type { ExpectedPictures } from '../../engine/contract/parameters.ts';
import type { WaitingFor } from '../machinery.ts';
import type { ParametersRepresentation } from './parameters.ts';

/** REST representation of an enhancement. Times are ISO 8601 in UTC with milliseconds. */
export interface EnhancementRepresentation {
  id: string;
  uploadId: string;
  status: EnhancementStatus;
  /** Null during progress and after the end */
  waitingFor: WaitingFor | null;
  /** Signed URL of the result, the same for an hour, and valid for 23 to 24 hours; null unless FINISHED */
  fullUrl: string | null;
  /** Name of the result; null unless FINISHED, like its type, size and dimensions */
  filename: string | null;
  mimetype: MediaType | null;
  /** Bytes */
  filesize: number | null;
  /** Size of the result as a multiple of the original */
  growth: number | null;
  /** Pixels; 0 for PDFs */
  width: number | null;
  height: number | null;
  /** Milliseconds of engine time */
  engineDuration: number | null;
  errorCode: FailureCode | null;
  errorDetail: string | null;
  parameters: ParametersRepresentation;
  /** Preset of the order with its version, such as `web@3`; null without one */
  preset: string | null;
  /** An estimate above this number of credits waits for approval; null: no approval */
  maxCredits: number | null;
  /** Maximum wait for credits in seconds; 0 fails at once */
  creditWait: number;
  estimatedCredits: number | null;
  chargedCredits: number | null;
  /** Id of the enhancement whose result was reused, free of charge */
  reusedFrom: string | null;
  /** Id of the enhancement with the same parameters but `pdf.pages`, whose paid pages cost nothing again */
  basedOn: string | null;
  /** Destination of the result, with its outcome; null without one */
  destination: Destination | null;
  provider: Uppercase<ProviderName>;
  /** The engine's report about the result */
  engine:
    | (Required<Pick<EngineReport, 'version' | 'steps' | 'models' | 'notes'>> & {
        build: string | null;
        unchanged: boolean;
        fidelity: Fidelity | null;
      })
    | null;
  reference: string | null;
  customMetadata: CustomMetadata | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  /** Time at which the result was deleted with its upload; null before */
  deletedAt: string | null;
  /** Progress of the running engine, where this record alone was read; null elsewhere, and while it is unknown */
  progress: Pick<EnhancementProgress, 'step' | 'fraction'> | null;
}

/** Price of an enhancement and size of its result, before it is ordered. */
export interface EstimateRepresentation {
  /** Maximum price in credits */
  credits: number;
  /** Price in credits if light, colour and damage need no change */
  minCredits: number;
  /** Expected size of the result in bytes; null if unknown */
  filesize: number | null;
  /** Sizes in bytes that at least 90 % of results lie between; null if unknown */
  minFilesize: number | null;
  maxFilesize: number | null;
  /** Size of the result in pixels; null for PDFs */
  width: number | null;
  height: number | null;
  /** Losses of the result, as sentences */
  notes: string[];
  /** Images of a PDF whose mask alone is enlarged */
  masksOnly: number;
  /** Images of a PDF by the step that is expected to keep the file within its maximum size; null if unknown */
  expectedImages: ExpectedPictures | null;
}
