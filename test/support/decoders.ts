import { readFileSync } from 'node:fs';
import { processTree } from '@burnish/jail';

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
