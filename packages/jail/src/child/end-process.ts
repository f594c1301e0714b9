import type { ChildProcess } from 'node:child_process';
import type { Jail } from '../isolation/jail.ts';
import { listChildren, processTree } from '../watch/process-usage.ts';

/** Milliseconds for the kernel to end a jail from within, before its supervisor is ended. */
const KILL_GRACE_MS = 2_000;

/**
 * Ends a process of a jail with all that it has started.
 * @param gone resolves at its end
 */
export async function endProcess(
  process: ChildProcess,
  { isolates }: Pick<Jail, 'isolates'>,
  gone: Promise<unknown>,
): Promise<void> {
  const supervisor = process.pid;
  if (supervisor === undefined) return;
  // The first process of the namespaces takes all others along, and its supervisor ends after it. A supervisor that is ended
  // before it has let the first one go would leave it waiting for ever.
  const look = (): void => killAll(isolates ? listChildren(supervisor) : processTree(supervisor).slice(1));
  const looks = isolates ? (look(), setInterval(look, 20)) : undefined;
  const late = setTimeout(() => (look(), process.kill('SIGKILL')), isolates ? KILL_GRACE_MS : 0);
  await gone;
  clearInterval(looks);
  clearTimeout(late);
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
