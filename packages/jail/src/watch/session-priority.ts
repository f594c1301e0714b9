import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { processTree } from './process-usage.ts';

/**
 * Nice value of a child's session: a third of the time of another one. With less, a single busy program of the machine, whatever its own
 * nice value, would starve children.
 */
export const SESSION_NICE = 5;

/** The kernel lets all users together change ten of these a second. */
const TRIES = 20;
const BETWEEN_TRIES_MS = 150;

/**
 * Lowers the priority of the sessions of a process and its descendants that are not ours. Linux can share processor time among
 * sessions first (`sched_autogroup_enabled`, sched(7)): a jail with its own session then takes as much as this whole process,
 * whatever its nice value. Does nothing where the kernel has no such groups.
 */
export async function lowerSessionPriority(pid: number): Promise<void> {
  const own = groupOf('self');
  const others = new Map(processTree(pid).map((each) => [groupOf(each), each]));
  for (const [group, member] of others) {
    if (group !== undefined && group !== own) await lower(member);
  }
}

async function lower(pid: number): Promise<void> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      await writeFile(`/proc/${pid}/autogroup`, String(SESSION_NICE));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      await pause(BETWEEN_TRIES_MS, undefined, { ref: false });
    }
  }
}

/** The name of a process's group, such as `/autogroup-12`; undefined where there is none. */
function groupOf(pid: number | 'self'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/autogroup`, 'latin1').split(' ')[0];
  } catch {
    return undefined;
  }
}
