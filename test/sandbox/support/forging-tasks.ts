import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TASKS as REAL } from '../../../packages/engine/src/tasks.ts';

interface Forgery {
  outputDir?: string;
  outputPath?: string;
  /** Content of the output file; absent: none */
  content?: string;
  /** The result that the task reports */
  result: unknown;
}

const forge =
  async () =>
  async ({ outputDir, outputPath, content, result }: Forgery) => {
    for (const name of ['3', '4', '04', '5', '99999999999999999999']) {
      if (outputDir !== undefined) await writeFile(join(outputDir, name), name);
    }
    if (content !== undefined) await writeFile(outputPath!, content, 'latin1');
    return result;
  };

/** The tasks of the engine, as a compromised decoder answers them. */
export const TASKS = Object.fromEntries(Object.keys(REAL).map((name) => [name, forge]));
