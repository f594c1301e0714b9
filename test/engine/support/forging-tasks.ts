import { writeFile } from 'node:fs/promises';
import { TASKS as REAL } from '../../../src/engine/tasks.ts';

interface Forgery {
  outputPath?: string;
  /** Content of the output file; absent: none */
  content?: string;
  /** The result that the task reports */
  result: unknown;
}

const forge =
  async () =>
  async ({ outputPath, content, result }: Forgery) => {
    if (content !== undefined) await writeFile(outputPath!, content, 'latin1');
    return result;
  };

/** The tasks of the engine, as a compromised decoder answers them. */
export const TASKS = Object.fromEntries(Object.keys(REAL).map((name) => [name, forge]));
