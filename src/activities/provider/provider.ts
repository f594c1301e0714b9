import type { PdfAnalysis } from '../../domain/analysis.ts';
import type { EngineReport, EnhancementProgress, EnhancementResult } from '../../domain/enhancement.ts';
import type { EnhancementParameters } from '../../domain/parameters.ts';
import type { Plan } from '../../domain/plans.ts';
import type { MediaType } from '../../domain/media.ts';

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
  plan: Plan;
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

/** How running work is watched and stopped. */
export interface Watch {
  signal: AbortSignal;
  onProgress(progress: EnhancementProgress): void;
}

/**
 * Whoever does the work on a file. Every method may be repeated with the same job.
 * @throws Failure with the code that the record then shows
 */
export interface Provider {
  inspect(source: SourceFile, watch: Watch): Promise<Inspection>;
  analyze(source: SourceFile, watch: Watch): Promise<PdfAnalysis>;
  estimate(job: EstimateJob, watch: Watch): Promise<number>;
  enhance(job: EnhanceJob, watch: Watch): Promise<EnhanceOutcome>;
}
