import { readFileSync } from 'node:fs';
import { processTree } from '@burnish/jail';
import { childProgram } from '../../../src/sandbox/child-program.ts';

/** A list of tasks in this folder, as children of tests load it: `faulty-tasks` */
export const listOfTasks = (name: string): URL => new URL(`${name}.cjs`, childProgram.tasks);

/** Process ids of this process's descendants in sandboxes, supervisors first. */
export function decoders(parent: number): number[] {
  return processTree(parent).filter((pid) => pid !== parent && commandLine(pid).includes('jail-child'));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
