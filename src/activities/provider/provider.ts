import type { PdfAnalysis } from '../../domain/upload/pdf-analysis.ts';
import type { EngineReport, EnhancementResult } from '../../domain/enhancement/enhancement.ts';
import type { EnhancementProgress } from '@burnish/engine/contract';
import type { Input, SourceFile } from '../inputs/schemas.ts';

/** Pixels after orientation; 0 for PDFs. */
export interface Inspection {
  width: number;
  height: number;
  /** Absent from workers of earlier versions */
  hasAlpha?: boolean;
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
  /** Languages of the text that is read on scans, such as `eng+deu`; absent: none is read */
  text?: string;
}

export interface SpanOutcome {
  /** Milliseconds of engine time */
  durationMs: number;
}

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
  /**
   * Inspects an image that decodes within a second. @returns null for a larger one, by its header before it takes a permit, or by
   * the time that it takes
   */
  inspectQuickly(source: SourceFile, watch: Watch): Promise<Inspection | null>;
  analyze(source: SourceFile, watch: Watch): Promise<PdfAnalysis>;
  estimate(job: Input<'estimate'>, watch: Watch): Promise<number>;
  enhance(job: Input<'enhance'>, watch: Watch): Promise<EnhanceOutcome | PlannedEnhancement>;
  /** Makes the results of a span, except those that an earlier attempt stored. */
  enhanceSpan(job: Input<'enhancePdfSpan'>, watch: Watch): Promise<SpanOutcome>;
  assemble(job: Input<'assemblePdf'>, watch: Watch): Promise<EnhanceOutcome>;
}
