import type { PdfAnalysis } from '../../domain/upload/upload.ts';
import type { EngineReport, EnhancementProgress, EnhancementResult } from '../../domain/enhancement/enhancement.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import type { GivenPlan } from '../../domain/accounts/account.ts';
import type { MediaType } from '../../domain/upload/media.ts';

/** A file of an upload that is in our storage. */
export interface SourceFile {
  uploadId: string;
  objectKey: string;
  mimetype: MediaType;
  originalFilename: string;
}

export interface EstimateJob {
  enhancementId: string;
  source: SourceFile;
  parameters: EnhancementParameters;
  plan: GivenPlan;
}

export interface EnhanceJob extends EstimateJob {
  /** Where the result goes. The same job writes the same key, so a repetition overwrites its own work only. */
  resultKey: string;
}

/** Pixels after orientation; 0 for PDFs. */
export interface Inspection {
  width: number;
  height: number;
  /** Plain sentences for people, such as "Animated: 12 frames." */
  notes: string[];
}

export interface EnhanceOutcome {
  result: EnhancementResult;
  engine: EngineReport;
  /** What the work turned out to cost; never more than the estimate */
  credits: number;
}

/** A PDF with more work than one activity should hold: the plan is in storage, and its spans are anybody's to take. */
export interface PlannedEnhancement {
  /** Where plan and results lie until the PDF is put together */
  workKey: string;
  images: number;
  /** Places in the plan, in order: from the first image of a span to the one that no longer belongs to it */
  spans: { from: number; to: number }[];
}

export interface SpanJob {
  enhancementId: string;
  source: SourceFile;
  workKey: string;
  from: number;
  to: number;
}

export interface SpanOutcome {
  /** Milliseconds of engine time */
  durationMs: number;
}

export interface AssembleJob extends EnhanceJob {
  workKey: string;
  /** How many results there are */
  images: number;
}

/** How running work is watched and stopped. */
export interface Watch {
  signal: AbortSignal;
  onProgress(progress: EnhancementProgress): void;
}

/**
 * Does the work on a file. Every method may be repeated with the same job.
 * @throws Failure with the code that the record then shows
 */
export interface Provider {
  inspect(source: SourceFile, watch: Watch): Promise<Inspection>;
  analyze(source: SourceFile, watch: Watch): Promise<PdfAnalysis>;
  estimate(job: EstimateJob, watch: Watch): Promise<number>;
  /** Makes the result, or the plan for making it. */
  enhance(job: EnhanceJob, watch: Watch): Promise<EnhanceOutcome | PlannedEnhancement>;
  /** Makes the results of a span; those that an earlier attempt made are not made again. */
  enhanceSpan(job: SpanJob, watch: Watch): Promise<SpanOutcome>;
  /** Puts the results of all spans together. */
  assemble(job: AssembleJob, watch: Watch): Promise<EnhanceOutcome>;
}
