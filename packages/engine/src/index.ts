/** The public interface of `@burnish/engine`: enhances images and PDFs in this process, from a file to a file. */
export { EngineError, type EngineErrorCode } from './contract/engine-error.ts';
export type { MediaType } from './contract/media.ts';
export type { EngineNote, FileNote, ImageNote, PdfNote } from './contract/notes.ts';
export {
  resolveImageParameters,
  resolvePdfParameters,
  type EnhancementParameters,
  type ImageParameters,
  type PdfParameters,
} from './contract/parameters.ts';
export type { PdfFindings } from './contract/pdf-findings.ts';
export type { EnhancementProgress } from './contract/progress.ts';
export type { ReportContent } from './contract/report.ts';
export { detectMediaType } from './detect.ts';
export { enhanceImage, type EnhanceImageOptions, type EnhanceImageOutput } from './image/enhance.ts';
export { inspectImage, type ImageFacts } from './image/inspect.ts';
export { previewImage, type PreviewImageInput } from './image/preview.ts';
export { findModels } from './neural/find-models.ts';
export { NO_MODELS, type ModelSet } from './neural/model-set.ts';
export { previewPdfPage, type PreviewPdfPageInput } from './pdf/analyze/preview-page.ts';
export type { AssembledPdf } from './pdf/enhance/assemble.ts';
export {
  analyzePdf,
  enhancePdf,
  estimatePdf,
  type AnalyzePdfInput,
  type EnhancePdfInput,
  type EstimatePdfInput,
  type PdfEstimate,
} from './pdf/enhance/enhance.ts';
export type { PageWord, ReadWords } from './pdf/text/page-words.ts';
export type { Run } from './pdf/run.ts';
export { writeReport, type WriteReportInput } from './report/write-report.ts';
export { ENGINE_VERSION } from './version.ts';
