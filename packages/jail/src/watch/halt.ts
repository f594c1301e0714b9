import type { Jail } from '../isolation/jail.ts';
import { listChildren, processTree } from './process-usage.ts';

/**
 * Halts the program of a jail, with all its threads, until `resume`: native code of an ended task could compute, take memory and fill
 * the disk for as long as its child lives. Does nothing to a child that ends with its parent only while it runs.
 */
export const halt = (pid: number, jail: Pick<Jail, 'isolates' | 'watchesParent'>): void => signal(pid, jail, 'SIGSTOP');

export const resume = (pid: number, jail: Pick<Jail, 'isolates' | 'watchesParent'>): void =>
  signal(pid, jail, 'SIGCONT');

function signal(
  pid: number,
  { isolates, watchesParent }: Pick<Jail, 'isolates' | 'watchesParent'>,
  name: NodeJS.Signals,
): void {
  if (watchesParent) return;
  // The supervisors of a jail run: they tell of its end.
  const members = isolates ? listChildren(pid).flatMap((first) => processTree(first).slice(1)) : processTree(pid);
  for (const each of members) {
    try {
      process.kill(each, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
