import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { identifyProcess, isRunning, type ProcessIdentity } from '../../src/process/process-identity.ts';

/** A process and all that it started, and those started, as far as they still have it for an ancestor. */
export function processTree(pid: number): ProcessIdentity[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const children = new Map<number, number[]>();
  for (const row of rows) {
    const [child = 0, parent = 0] = row.trim().split(/\s+/).map(Number);
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const pids = [pid];
  for (const each of pids) pids.push(...(children.get(each) ?? []));
  return pids.map(identifyProcess).filter((identity) => identity !== undefined);
}

/** The command line of a process, with blanks between its words; empty when it has gone. */
export function commandLine({ pid }: ProcessIdentity): string {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

/** Processor time that a process has used, in whole seconds; 0 when it has gone. */
export function processorSeconds({ pid }: ProcessIdentity): number {
  try {
    return Number(execFileSync('ps', ['-o', 'cputimes=', '-p', String(pid)], { encoding: 'utf8' }).trim());
  } catch {
    return 0;
  }
}

/** Ends processes as the kernel does when memory is out: without a word. Never touches a number given to another since. */
export async function killAtOnce(processes: readonly ProcessIdentity[]): Promise<void> {
  for (const each of processes) {
    try {
      if (isRunning(each)) process.kill(each.pid, 'SIGKILL');
    } catch (error) {
      // Gone between the look and the signal.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  while (processes.some(isRunning)) await delay(10);
}
