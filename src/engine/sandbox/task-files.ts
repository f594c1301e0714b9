import type { TaskInput, TaskName } from '../tasks.ts';

export interface TaskFiles<Field extends string = string> {
  reads?: readonly Field[];
  writes?: readonly Field[];
  readsFolder?: Field;
  /** A folder for output files that are named by numbers; a file with its final name is complete */
  fillsFolder?: Field;
  /** The numbers of those files. Others stay with the child. */
  fillsNumbers?: Field;
}

/** Any other file is out of a task's reach. */
export const TASK_FILES: { [T in TaskName]: TaskFiles<keyof TaskInput<T> & string> } = {
  'inspect-image': { reads: ['inputPath'] },
  'enhance-image': { reads: ['inputPath'], writes: ['outputPath'] },
  'verify-image': { reads: ['originalPath', 'resultPath'] },
  'analyze-pdf': { reads: ['inputPath'], writes: ['factsPath'] },
  'estimate-pdf': { reads: ['inputPath', 'factsPath'] },
  'enhance-or-plan-pdf': { reads: ['inputPath', 'factsPath'], writes: ['planPath', 'outputPath'] },
  'enhance-pdf-span': { reads: ['inputPath', 'planPath'], fillsFolder: 'outputDir', fillsNumbers: 'images' },
  'assemble-pdf': { reads: ['inputPath', 'planPath'], readsFolder: 'resultsDir', writes: ['outputPath'] },
  'preview-image': { reads: ['inputPath'], writes: ['outputPath'] },
  'preview-pdf-image': { reads: ['inputPath'], writes: ['outputPath'] },
  'preview-pdf-page': { reads: ['inputPath'], writes: ['outputPath'] },
  'list-pdf-pages': { reads: ['inputPath', 'resultPath'] },
  'list-pdf-images': { reads: ['inputPath', 'factsPath'] },
  'list-enhanced-pdf-images': { reads: ['inputPath', 'resultPath'] },
  'describe-pdf-images': { reads: ['inputPath', 'factsPath', 'resultPath'] },
  'write-report': { readsFolder: 'picturesDir', writes: ['outputPath'] },
};
