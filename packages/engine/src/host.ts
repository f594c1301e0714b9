/**
 * For a process that lets others run the tasks of this package, such as the children of a jail: it decodes nothing itself. The
 * networks, versions and limits that it gives the tasks, and the checks of what they return.
 */
export { detectMediaType } from './detect.ts';
export { estimateInspectionMs, readImageSize } from './image-header.ts';
export { CHILD_HEAP_MIB } from './limits.ts';
export { findModels } from './neural/find-models.ts';
export { NO_MODELS, type ModelSet } from './neural/model-set.ts';
export type { QuarterTurns } from './image/quarter-turn.ts';
export { PACKAGE_FOLDER } from './package-folder.ts';
export type { AssembledPdf } from './pdf/enhance/assemble.ts';
export {
  readingName,
  readScan,
  MAX_PAGE_WORDS,
  MAX_WORD_LENGTH,
  writeReading,
  type DrawnScan,
  type PageReading,
  type PageWord,
  type ScanDirection,
  type ScanToRead,
} from './pdf/text/page-words.ts';
export type { PdfEstimate } from './pdf/enhance/enhance.ts';
export { missingFonts } from './report/font-files.ts';
export { engineSizing, MEMORY_HERE, type EngineSizing } from './sizing.ts';
export type { TaskInput, TaskName, TaskOutput } from './tasks.ts';
export { MAX_DETAIL_LENGTH, TASK_ERROR_CODES } from './tasks/describe-error.ts';
export { checkResult, TASK_RESULTS, type ResultCheck } from './tasks/results.ts';
export { isOriginal } from './pdf/enhance/is-original.ts';
export { TASK_FILES } from './tasks/task-files.ts';
export { ENGINE_VERSION, engineVersionWith } from './version.ts';
