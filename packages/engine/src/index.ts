/**
 * The public interface of `@burnish/engine`: enhances images and PDFs in this process, from a file to a file. Its functions check
 * what they get; tasks of a jail run the same work without these checks.
 */
export { EngineError, type EngineErrorCode } from '@burnish/contract/engine';
export type { MediaType } from '@burnish/contract/engine';
export type { EngineNote, FileNote, ImageNote, PdfNote } from '@burnish/contract/engine';
export type { EnhancementParameters } from '@burnish/contract/engine';
export type { PdfFindings } from '@burnish/contract/engine';
export type { EnhancementProgress } from '@burnish/contract/engine';
export type { ReportContent } from '@burnish/contract/engine';
export {
  detectMediaType,
  enhanceImage,
  inspectImage,
  previewImage,
  type EnhanceImageOptions,
} from './checked/images.ts';
export { findModels } from './checked/models.ts';
export {
  analyzePdf,
  enhancePdf,
  estimatePdf,
  previewPdfPage,
  type EnhancePdfInput,
  type EstimatePdfInput,
} from './checked/pdfs.ts';
export { writeReport } from './checked/reports.ts';
export type { EnhanceImageOutput } from './image/enhance.ts';
export type { ImageFacts } from './image/inspect.ts';
export type { PreviewImageInput } from './image/preview.ts';
export { NO_MODELS, type ModelSet } from './neural/model-set.ts';
export type { PreviewPdfPageInput } from './pdf/analyze/preview-page.ts';
export type { AssembledPdf } from './pdf/enhance/assemble.ts';
export type { AnalyzePdfInput, PdfEstimate } from './pdf/enhance/enhance.ts';
export type { PageWord, ReadWords } from './pdf/text/page-words.ts';
export type { Run } from './pdf/run.ts';
export type { WriteReportInput } from './report/write-report.ts';
export { ENGINE_VERSION } from './version.ts';
