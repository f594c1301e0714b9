import type { FailureCode } from '../failures.ts';
import type { MediaType } from '../upload/media.ts';
import type { EnhancementParameters, ImageParameters } from './parameters.ts';
import type { GivenPlan } from '../accounts/account.ts';
import type { ProviderName, Upload } from '../upload/upload.ts';
import type { WaitingFor } from '../machinery.ts';

export const ENHANCEMENT_STATUSES = [
  'QUEUED',
  'AWAITING_APPROVAL',
  'AWAITING_CREDITS',
  'PROCESSING',
  'FINISHED',
  'ERROR',
  'CANCELLED',
] as const;
export type EnhancementStatus = (typeof ENHANCEMENT_STATUSES)[number];

export const TERMINAL_ENHANCEMENT_STATUSES: readonly EnhancementStatus[] = ['FINISHED', 'ERROR', 'CANCELLED'];

export function isTerminal(status: EnhancementStatus): boolean {
  return TERMINAL_ENHANCEMENT_STATUSES.includes(status);
}

/** The turn of work in the queues: somebody waits for it; one upload of a caller; work that came as one of many. */
export type Urgency = 'interactive' | 'single' | 'batch';

/** A caller's order: parameters, and limits of cost and waiting time. */
export interface EnhancementRequest {
  id: string;
  parameters: EnhancementParameters;
  /** Credits; an estimate above it waits for approval. Null: no review. */
  maxCredits: number | null;
  /** Milliseconds to wait for credits; 0 fails at once. */
  creditWaitMs: number;
  /** The account's plan when it asked; that of the upload's start where absent */
  plan?: GivenPlan;
  /** The tier that `AUTO` means for its account; absent: the best that there is */
  autoTier?: Exclude<ImageParameters['engineTier'], 'AUTO'>;
  /** The turn of its work in the queues; that of its upload where absent */
  urgency?: Urgency;
  /** The caller's own id, for the search attribute; absent where none was given */
  reference?: string;
}

/** The file that an enhancement made. */
export interface EnhancementResult {
  objectKey: string;
  /** Bytes */
  size: number;
  /** Bytes of the file that was enhanced; absent in records of earlier versions */
  originalSize?: number | undefined;
  sha256: string;
  mimetype: MediaType;
  filename: string;
  /** Pixels; 0 for PDFs */
  width: number;
  height: number;
}

/** How the result was made, for the record. */
export interface EngineReport {
  /** Version of the engine, part of the reuse key */
  version: string;
  /** Names of the steps that changed the picture, in order, such as `tone`, `upscale` */
  steps: string[];
  /** Plain sentences about what was decided, such as "Animated: the first of 12 frames was used." */
  notes: string[];
  /** Names of the neural networks that worked on the picture, in order; absent in records from before there were any */
  models?: string[];
  /** Milliseconds of engine time */
  durationMs: number;
}

/** The state of an enhancement. Its upload's workflow is the only writer; `revision` rises with each change. */
export interface Enhancement {
  id: string;
  uploadId: string;
  accountId: string;
  revision: number;
  status: EnhancementStatus;
  /** Null while it makes progress, and once it has ended */
  waitingFor: WaitingFor | null;
  parameters: EnhancementParameters;
  provider: ProviderName;
  /** Its id at the hosted service; null while it has none there */
  remoteId: string | null;
  maxCredits: number | null;
  creditWaitMs: number;
  /** Credits, known once the upload has been analysed */
  estimatedCredits: number | null;
  /** Credits that were captured; 0 for a reused result */
  chargedCredits: number | null;
  result: EnhancementResult | null;
  engine: EngineReport | null;
  /** Id of the enhancement whose result was reused */
  reusedFrom: string | null;
  errorCode: FailureCode | null;
  errorDetail: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

/** An enhancement as it is before its workflow has done anything: revision 0, QUEUED. */
export function initialEnhancement(
  request: EnhancementRequest,
  upload: Pick<Upload, 'id' | 'accountId' | 'provider'>,
  at: string,
): Enhancement {
  return {
    id: request.id,
    uploadId: upload.id,
    accountId: upload.accountId,
    revision: 0,
    status: 'QUEUED',
    waitingFor: null,
    parameters: request.parameters,
    provider: upload.provider,
    remoteId: null,
    maxCredits: request.maxCredits,
    creditWaitMs: request.creditWaitMs,
    estimatedCredits: null,
    chargedCredits: null,
    result: null,
    engine: null,
    reusedFrom: null,
    errorCode: null,
    errorDetail: null,
    createdAt: at,
    startedAt: null,
    finishedAt: null,
  };
}

/** Progress of running work, for people watching it. */
export interface EnhancementProgress {
  /** Name of the step at work, such as `upscale` */
  step: string;
  /** 0.0 to 1.0 over the whole enhancement */
  fraction: number;
  /** Of a span of a PDF's images, how many have their result; `fraction` is then of the span alone */
  images?: number;
}

/** A large PDF, all spans together: images whose spans have finished, and all there are. By enhancement in the workflow's memo. */
export interface ImageCount {
  done: number;
  of: number;
}
