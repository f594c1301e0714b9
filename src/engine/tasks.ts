import type { EnhancementProgress } from '../domain/enhancement.ts';
import type { EnhanceImageInput, EnhanceImageOutput } from './image/enhance.ts';
import type { ImageFacts } from './image/inspect.ts';
import type { PdfAnalysis } from '../domain/analysis.ts';
import type { AssembledPdf } from './pdf/assemble.ts';
import type {
  AnalyzePdfInput,
  AssemblePdfInput,
  EnhancePdfInput,
  EnhancePdfSpanInput,
  EstimatePdfInput,
  PdfEstimate,
  PlanPdfInput,
} from './pdf/enhance.ts';
import type { PdfFacts } from './pdf/facts.ts';

/** What a task may use besides its input. Inputs and outputs are JSON; bytes travel as local paths. */
export interface TaskContext {
  /** Tells the parent how far the task is. May be called often; the child thins it out. */
  onProgress: (progress: EnhancementProgress) => void;
}

export type TaskRunner<Input, Output> = (input: Input, context: TaskContext) => Promise<Output>;

/** What may run in the sandbox, by name: each entry loads its module in the child at first use. */
export const TASKS = {
  'inspect-image': async (): Promise<TaskRunner<{ inputPath: string }, ImageFacts>> => {
    const { inspectImage } = await import('./image/inspect.ts');
    return ({ inputPath }) => inspectImage(inputPath);
  },
  'enhance-image': async (): Promise<TaskRunner<EnhanceImageInput, EnhanceImageOutput>> => {
    const { enhanceImage } = await import('./image/enhance.ts');
    return (input, { onProgress }) => enhanceImage({ ...input, onProgress });
  },
  'analyze-pdf': async (): Promise<TaskRunner<AnalyzePdfInput, { analysis: PdfAnalysis; facts: PdfFacts }>> => {
    const { analyzePdf } = await import('./pdf/enhance.ts');
    return (input, { onProgress }) => analyzePdf({ ...input, onProgress });
  },
  'estimate-pdf': async (): Promise<TaskRunner<EstimatePdfInput, PdfEstimate>> => {
    const { estimatePdf } = await import('./pdf/enhance.ts');
    return (input, { onProgress }) => estimatePdf({ ...input, onProgress });
  },
  'enhance-pdf': async (): Promise<TaskRunner<EnhancePdfInput, AssembledPdf>> => {
    const { enhancePdf } = await import('./pdf/enhance.ts');
    return (input, { onProgress }) => enhancePdf({ ...input, onProgress });
  },
  'plan-pdf': async (): Promise<TaskRunner<PlanPdfInput, PdfEstimate & { images: number }>> => {
    const { planPdf } = await import('./pdf/enhance.ts');
    return (input, { onProgress }) => planPdf({ ...input, onProgress });
  },
  'enhance-pdf-span': async (): Promise<TaskRunner<EnhancePdfSpanInput, void>> => {
    const { enhancePdfSpan } = await import('./pdf/enhance.ts');
    return (input, { onProgress }) => enhancePdfSpan({ ...input, onProgress });
  },
  'assemble-pdf': async (): Promise<TaskRunner<AssemblePdfInput, AssembledPdf>> => {
    const { assemblePdf } = await import('./pdf/enhance.ts');
    return (input, { onProgress }) => assemblePdf({ ...input, onProgress });
  },
} as const;

export type TaskList = Record<string, () => Promise<TaskRunner<never, unknown>>>;
export type TaskName = keyof typeof TASKS;
type Runner<T extends TaskName> = Awaited<ReturnType<(typeof TASKS)[T]>>;
export type TaskInput<T extends TaskName> = Parameters<Runner<T>>[0];
export type TaskOutput<T extends TaskName> = Awaited<ReturnType<Runner<T>>>;

/** Loads what most tasks need, so that the first file does not wait for it. */
export async function prepare(): Promise<void> {
  await import('./image/enhance.ts');
}
