import { readFileSync } from 'node:fs';
import { childProgram } from '../../../src/engine/sandbox/child-program.ts';
import { processTree } from '../../../src/engine/sandbox/process-usage.ts';

/** A list of tasks in this folder, as children of tests load it: `faulty-tasks` */
export const listOfTasks = (name: string): URL => new URL(`${name}.cjs`, childProgram.tasks);

/** Process ids of this process's descendants in sandboxes, supervisors first. */
export function decoders(parent: number): number[] {
  return processTree(parent).filter((pid) => pid !== parent && commandLine(pid).includes('sandbox-child'));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
