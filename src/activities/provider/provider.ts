import type { PdfAnalysis } from '../../domain/upload/upload.ts';
import type { EngineReport, EnhancementProgress, EnhancementResult } from '../../domain/enhancement/enhancement.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import type { GivenPlan } from '../../domain/accounts/account.ts';
import type { MediaType } from '../../domain/upload/media.ts';

/** A file of an upload in Burnish's storage. */
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
  /** Object key of the result. The same job always writes the same key, so a retry overwrites only its own output. */
  resultKey: string;
}

/** Pixels after orientation; 0 for PDFs. */
export interface Inspection {
  width: number;
  height: number;
  /** Sentences for the record, such as "Animated: 12 frames." */
  notes: string[];
}

export interface EnhanceOutcome {
  result: EnhancementResult;
  engine: EngineReport;
  /** Actual cost, at most the estimate */
  credits: number;
}

/** A PDF with too much work for one activity. The plan is in storage, and any engine worker may process a span. */
export interface PlannedEnhancement {
  /** Key prefix of plan and results until the PDF is assembled */
  workKey: string;
  images: number;
  /** Half-open ranges of indexes in the plan, in order: `from` is included, `to` is not */
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
  /** Number of results */
  images: number;
}

/** Progress reports and cancellation of running work. */
export interface Watch {
  signal: AbortSignal;
  onProgress(progress: EnhancementProgress): void;
}

/**
 * Processes a file. Every method may be retried with the same job.
 * @throws Failure with the code for the record
 */
export interface Provider {
  inspect(source: SourceFile, watch: Watch): Promise<Inspection>;
  analyze(source: SourceFile, watch: Watch): Promise<PdfAnalysis>;
  estimate(job: EstimateJob, watch: Watch): Promise<number>;
  /** Makes the result, or the plan for it. */
  enhance(job: EnhanceJob, watch: Watch): Promise<EnhanceOutcome | PlannedEnhancement>;
  /** Makes the results of a span, except those that an earlier attempt stored. */
  enhanceSpan(job: SpanJob, watch: Watch): Promise<SpanOutcome>;
  /** Assembles the results of all spans. */
  assemble(job: AssembleJob, watch: Watch): Promise<EnhanceOutcome>;
}
