import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Stands for a birth that this system does not tell. */
const UNKNOWN = '0';

/**
 * A token of when a process was started, the same for as long as it lives and different for a later one with its pid.
 * From /proc (clock ticks since boot, with the id of the boot), else from ps; `0` where neither tells.
 */
export function processBirth(pid: number): string {
  const birth = bornByProc(pid) ?? bornByPs(pid);
  return birth === undefined ? UNKNOWN : createHash('sha256').update(birth).digest('hex').slice(0, 12);
}

/** Whether the process that was born at `birth` still lives. A pid that another process has by now does not count. */
export function processIsAlive(pid: number, birth: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: there is one, of another user
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = processBirth(pid);
  return now === UNKNOWN || birth === UNKNOWN ? !isZombie(pid) : now === birth && !isZombie(pid);
}

function bornByProc(pid: number): string | undefined {
  const startTicks = procStat(pid)?.[19];
  if (startTicks === undefined) return undefined;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')}${startTicks}`;
}

/** Killed, but its parent has not asked yet. */
function isZombie(pid: number): boolean {
  return ['Z', 'X'].includes(procStat(pid)?.[0] ?? '');
}

/** Fields of /proc/<pid>/stat from the third on; the second is a name that may hold spaces and parentheses. */
function procStat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function bornByPs(pid: number): string | undefined {
  try {
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
    return text.toString().trim() || undefined;
  } catch {
    return undefined;
  }
}
