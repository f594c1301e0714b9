import type { TaskFiles } from '@burnish/jail';
import type { TaskInput, TaskName } from '../tasks.ts';

/** Any other file is out of a task's reach. */
export const TASK_FILES: { [T in TaskName]: TaskFiles<keyof TaskInput<T> & string> } = {
  'inspect-image': { reads: ['inputPath'] },
  'enhance-image': { reads: ['inputPath'], writes: ['outputPath'] },
  'inspect-and-enhance-image': { reads: ['inputPath'], writes: ['outputPath'] },
  'verify-image': { reads: ['originalPath', 'resultPath'] },
  'analyze-pdf': { reads: ['inputPath'], writes: ['factsPath'] },
  'estimate-pdf': { reads: ['inputPath', 'factsPath'] },
  'enhance-or-plan-pdf': { reads: ['inputPath', 'factsPath'], writes: ['planPath', 'outputPath'] },
  'enhance-pdf-span': { reads: ['inputPath', 'planPath'], fillsFolder: 'outputDir', fillsNumbers: 'images' },
  'enhance-pdf-scan': { reads: ['inputPath', 'planPath'], writes: ['resultPath', 'scanPath'] },
  'assemble-pdf': { reads: ['inputPath', 'planPath'], readsFolder: 'resultsDir', writes: ['outputPath'] },
  'preview-image': { reads: ['inputPath'], writes: ['outputPath'] },
  'build-look': { readsFolder: 'picturesDir', fillsFolder: 'samplesDir', fillsNumbers: 'samples' },
  'preview-pdf-image': { reads: ['inputPath'], writes: ['outputPath'] },
  'preview-pdf-page': { reads: ['inputPath'], writes: ['outputPath'] },
  'try-image': { reads: ['inputPath'], fillsFolder: 'outputDir', fillsNumbers: 'pictures' },
  'try-pdf-page': { reads: ['inputPath', 'factsPath'], fillsFolder: 'outputDir', fillsNumbers: 'pictures' },
  'list-pdf-pages': { reads: ['inputPath', 'resultPath'] },
  'list-pdf-images': { reads: ['inputPath', 'factsPath'] },
  'list-enhanced-pdf-images': { reads: ['inputPath', 'resultPath'] },
  'describe-pdf-images': { reads: ['inputPath', 'factsPath', 'resultPath'] },
  'write-report': { readsFolder: 'picturesDir', writes: ['outputPath'] },
};
