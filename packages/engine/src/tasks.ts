import type {
  EnhancementProgress,
  Fidelity,
  PdfFindings,
  PdfParameters,
  EnhancedPdfImage,
  ListedPdfImage,
  PdfImageList,
  PdfPageList,
  ReportedImageList,
} from '@burnish/contract/engine';
import type { EnhanceImageInput, EnhanceImageOutput } from './image/enhance.ts';
import type { ImageFacts } from './image/inspect.ts';
import type { BuildLookInput, BuildLookOutput } from './image/look/build-look.ts';
import type { PreviewImageInput } from './image/preview.ts';
import type { VerifyImageInput } from './image/verify.ts';
import type { ModelSet } from './neural/model-set.ts';
import type { AssembledPdf } from './pdf/enhance/assemble.ts';
import type {
  AnalyzePdfInput,
  AssemblePdfInput,
  EnhanceOrPlanPdfInput,
  EnhancePdfScanInput,
  EnhancePdfSpanInput,
  EstimatePdfInput,
  PdfEstimate,
  PlannedPdf,
} from './pdf/enhance/enhance.ts';
import type { ScanToRead } from './pdf/text/page-words.ts';
import type { DescribePdfImagesInput } from './pdf/analyze/describe-images.ts';
import type { ImageTrial, TryImageInput } from './trial/try-image.ts';
import type { PdfPageTrial, TryPdfPageInput } from './trial/try-pdf-page.ts';
import type { WriteReportInput } from './report/write-report.ts';
import type { ListEnhancedPdfImagesInput, ListPdfImagesInput } from './pdf/analyze/list-images.ts';
import type { ListPdfPagesInput } from './pdf/analyze/list-pages.ts';
import type { PreviewPdfImageInput } from './pdf/analyze/preview-image.ts';
import type { PreviewPdfPageInput } from './pdf/analyze/preview-page.ts';

/** Context of a task besides its input. Inputs and outputs are JSON; bytes are passed as local paths. */
export interface TaskContext {
  /** Reports the progress of the task to the parent. Frequent calls are allowed; the child drops most of them. */
  onProgress: (progress: EnhancementProgress) => void;
  models: ModelSet;
}

/** The result of an image that one task inspects and enhances. */
export interface InspectedImage {
  facts: ImageFacts;
  enhanced: EnhanceImageOutput;
}

export type TaskRunner<Input, Output> = (input: Input, context: TaskContext) => Promise<Output>;

/** Tasks of the sandbox by name. Each entry loads its module in the child at first use. */
export const TASKS = {
  'inspect-image': async (): Promise<TaskRunner<{ inputPath: string }, ImageFacts>> => {
    const { inspectImage } = await import('./image/inspect.ts');
    return ({ inputPath }) => inspectImage(inputPath);
  },
  'enhance-image': async (): Promise<TaskRunner<EnhanceImageInput, EnhanceImageOutput>> => {
    const { enhanceImage } = await import('./image/enhance.ts');
    return (input, context) => enhanceImage({ ...input, ...context });
  },
  'inspect-and-enhance-image': async (): Promise<TaskRunner<EnhanceImageInput, InspectedImage>> => {
    const { enhanceWithFacts } = await import('./image/enhance.ts');
    return (input, context) => enhanceWithFacts({ ...input, ...context });
  },
  'verify-image': async (): Promise<TaskRunner<VerifyImageInput, Fidelity>> => {
    const { verifyImage } = await import('./image/verify.ts');
    return (input) => verifyImage(input);
  },
  'analyze-pdf': async (): Promise<TaskRunner<AnalyzePdfInput & { factsPath: string }, PdfFindings>> => {
    const { analyzePdf } = await import('./pdf/enhance/enhance.ts');
    return async (input, { onProgress }) => (await analyzePdf({ ...input, onProgress })).findings;
  },
  'estimate-pdf': async (): Promise<TaskRunner<EstimatePdfInput, PdfEstimate>> => {
    const { estimatePdf } = await import('./pdf/enhance/enhance.ts');
    return (input, { onProgress }) => estimatePdf({ ...input, onProgress });
  },
  'enhance-or-plan-pdf': async (): Promise<TaskRunner<EnhanceOrPlanPdfInput, AssembledPdf | PlannedPdf>> => {
    const { enhanceOrPlanPdf } = await import('./pdf/enhance/enhance.ts');
    return (input, context) => enhanceOrPlanPdf({ ...input, ...context });
  },
  'enhance-pdf-span': async (): Promise<TaskRunner<EnhancePdfSpanInput, void>> => {
    const { enhancePdfSpan } = await import('./pdf/enhance/enhance.ts');
    return (input, context) => enhancePdfSpan({ ...input, ...context });
  },
  'enhance-pdf-scan': async (): Promise<TaskRunner<EnhancePdfScanInput, ScanToRead>> => {
    const { enhancePdfScan } = await import('./pdf/enhance/enhance.ts');
    return (input, context) => enhancePdfScan({ ...input, ...context });
  },
  // The plan has the parameters; the parent compares its own with the result.
  'assemble-pdf': async (): Promise<TaskRunner<AssemblePdfInput & { parameters: PdfParameters }, AssembledPdf>> => {
    const { assemblePdf } = await import('./pdf/enhance/enhance.ts');
    return (input, { onProgress }) => assemblePdf({ ...input, onProgress });
  },
  'preview-image': async (): Promise<TaskRunner<PreviewImageInput, void>> => {
    const { previewImage } = await import('./image/preview.ts');
    return (input) => previewImage(input);
  },
  'build-look': async (): Promise<TaskRunner<BuildLookInput, BuildLookOutput>> => {
    const { buildLook } = await import('./image/look/build-look.ts');
    return (input) => buildLook(input);
  },
  'preview-pdf-image': async (): Promise<TaskRunner<PreviewPdfImageInput, void>> => {
    const { previewPdfImage } = await import('./pdf/analyze/preview-image.ts');
    return (input) => previewPdfImage(input);
  },
  'preview-pdf-page': async (): Promise<TaskRunner<PreviewPdfPageInput, void>> => {
    const { previewPdfPage } = await import('./pdf/analyze/preview-page.ts');
    return (input) => previewPdfPage(input);
  },
  'try-image': async (): Promise<TaskRunner<TryImageInput, ImageTrial>> => {
    const { tryImage } = await import('./trial/try-image.ts');
    return (input, { models }) => tryImage({ ...input, models });
  },
  'try-pdf-page': async (): Promise<TaskRunner<TryPdfPageInput, PdfPageTrial>> => {
    const { tryPdfPage } = await import('./trial/try-pdf-page.ts');
    return (input, { models }) => tryPdfPage({ ...input, models });
  },
  'list-pdf-pages': async (): Promise<TaskRunner<ListPdfPagesInput, PdfPageList>> => {
    const { listPdfPages } = await import('./pdf/analyze/list-pages.ts');
    return (input) => listPdfPages(input);
  },
  'list-pdf-images': async (): Promise<
    TaskRunner<ListPdfImagesInput & { factsPath?: string }, PdfImageList<ListedPdfImage>>
  > => {
    const { listPdfImages } = await import('./pdf/analyze/list-images.ts');
    return (input) => listPdfImages(input);
  },
  'list-enhanced-pdf-images': async (): Promise<
    TaskRunner<ListEnhancedPdfImagesInput, PdfImageList<EnhancedPdfImage>>
  > => {
    const { listEnhancedPdfImages } = await import('./pdf/analyze/list-images.ts');
    return (input) => listEnhancedPdfImages(input);
  },
  'describe-pdf-images': async (): Promise<TaskRunner<DescribePdfImagesInput, ReportedImageList>> => {
    const { describePdfImages } = await import('./pdf/analyze/describe-images.ts');
    return (input) => describePdfImages(input);
  },
  'write-report': async (): Promise<TaskRunner<WriteReportInput, void>> => {
    const { writeReport } = await import('./report/write-report.ts');
    return (input) => writeReport(input);
  },
} as const;

export type TaskName = keyof typeof TASKS;
type Runner<T extends TaskName> = Awaited<ReturnType<(typeof TASKS)[T]>>;
export type TaskInput<T extends TaskName> = Parameters<Runner<T>>[0];
export type TaskOutput<T extends TaskName> = Awaited<ReturnType<Runner<T>>>;

export { describeError } from './tasks/describe-error.ts';

/** Loads the modules that most tasks need, so that the first file does not wait for them. */
export async function prepare(): Promise<void> {
  await import('./image/enhance.ts');
}
