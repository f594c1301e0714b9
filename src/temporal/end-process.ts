import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessIdentity, isRunning } from '../process/process-identity.ts';

/** Time for an orderly shutdown of a server, in milliseconds. It takes about one second. */
const GRACE = 10_000;

/** Sends SIGTERM to a process, SIGKILL after a grace time, and returns after its exit. */
export async function endProcess(identity: ProcessIdentity): Promise<void> {
  const killAt = performance.now() + GRACE;
  for (let killed = false, asked = false; isRunning(identity); await delay(20)) {
    if (!asked) send(identity.pid, 'SIGTERM');
    asked = true;
    if (!killed && performance.now() > killAt) {
      send(identity.pid, 'SIGKILL');
      killed = true;
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process ended between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
