import { readFileSync } from 'node:fs';

/** A process, its children, and theirs, by procfs; where there is none, the process alone. The nearest come first. */
export function processTree(pid: number): number[] {
  const pids = [pid];
  for (const each of pids) pids.push(...listChildren(each));
  return pids;
}

export function listChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
