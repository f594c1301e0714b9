import type { Destination, DestinationStatus } from './destination.ts';
import type { FailureCode } from '../failures.ts';
import type { EnhancementParameters } from '../engine/parameters.ts';
import type { Fidelity } from '../engine/fidelity.ts';
import type { MediaType } from '../engine/media.ts';
import type { Labelled, ProviderName } from '../upload/upload.ts';
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

/** Those of an enhancement that waits or runs. */
export const OPEN_ENHANCEMENT_STATUSES = ENHANCEMENT_STATUSES.filter((status) => !isTerminal(status));

export function isTerminal(status: EnhancementStatus): boolean {
  return TERMINAL_ENHANCEMENT_STATUSES.includes(status);
}

/** Whether an enhancement has ended, and its result is on no way to a destination any more. */
export function isOver({ status, destination }: OverState): boolean {
  return isTerminal(status) && destination?.status !== 'PENDING';
}

export interface OverState {
  status: EnhancementStatus;
  destination?: { status: DestinationStatus } | null;
}

export interface EnhancementResult {
  objectKey: string;
  /** Bytes */
  size: number;
  /** Bytes of the original */
  originalSize: number;
  sha256: string;
  mimetype: MediaType;
  filename: string;
  /** Pixels; 0 for PDFs */
  width: number;
  height: number;
}

/** The engine's report about the result, for the record. */
export interface EngineReport {
  version: string;
  /** Version and commit of the worker that made the result; absent for the hosted service */
  build?: string;
  /** Names of the steps that changed the picture, in order, such as `tone`, `upscale` */
  steps: string[];
  /** Sentences about decisions, such as "Animated: the first of 12 frames was used." */
  notes: string[];
  /** Names of the neural networks that processed the picture, in order */
  models: string[];
  /** No step changed a picture, and nothing was charged; otherwise absent */
  unchanged?: true;
  /** Present for `fidelity: STRICT` */
  fidelity?: Fidelity;
  /** Pages of a PDF whose result deserves a look, in order; absent without any */
  uncertainPages?: number[];
  /** Pages of a PDF that are two pages of its result each, in order; absent without any */
  splitPages?: number[];
  /** Pages of a PDF that its result lacks, in order; absent without any */
  droppedPages?: number[];
  /** Milliseconds of engine time */
  durationMs: number;
}

/** State of an enhancement. Its upload's workflow is the only writer; `revision` increases with each change. */
export interface Enhancement {
  id: string;
  uploadId: string;
  accountId: string;
  revision: number;
  status: EnhancementStatus;
  /** Null during progress, and after the end */
  waitingFor: WaitingFor | null;
  parameters: EnhancementParameters;
  /** Preset with its version, such as `web@3`; null without one */
  preset: string | null;
  provider: ProviderName;
  /** Its id at the hosted service; null without one */
  remoteId: string | null;
  maxCredits: number | null;
  creditWaitMs: number;
  /** Credits; null before the price is known */
  estimatedCredits: number | null;
  /** Captured credits; 0 for a reused result and for paid pages */
  chargedCredits: number | null;
  result: EnhancementResult | null;
  engine: EngineReport | null;
  reusedFrom: string | null;
  /** Enhancement with the same parameters but `pages`, whose paid pages cost nothing again; null without one */
  basedOn: string | null;
  /** Destination of the result; null without one */
  destination: Destination | null;
  errorCode: FailureCode | null;
  errorDetail: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

/** An enhancement as its record shows it. Workflows carry neither the labels nor `deletedAt`. */
export interface RecordedEnhancement extends Labelled<Enhancement> {
  /** Time at which its result was deleted with its upload, ISO 8601; null or absent before */
  deletedAt?: string | null;
}

/**
 * Image counts of a large PDF over all its spans: images of finished spans, and their total. The workflow's memo has one per
 * enhancement.
 */
export interface ImageCount {
  done: number;
  of: number;
}
