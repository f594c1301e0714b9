import { setTimeout as delay } from 'node:timers/promises';
import { type BuildWork, type WorkerTasks, counted } from '@burnish/contract';
import { HEARTBEAT_MS } from '../../runtime/worker-deployment.ts';
import { CommandError } from '../command-error.ts';

/** Pause between two looks, milliseconds. */
const LOOK_MS = 1_000;
/** A worker without a report for this time has been killed. Temporal lists it for minutes. */
const SILENT_MS = 12 * HEARTBEAT_MS;
/** Time within which each worker has reported once, milliseconds. */
const FIRST_REPORT_MS = 2 * HEARTBEAT_MS;

export interface Draining {
  look(build: string): Promise<BuildWork>;
  report(sentence: string): void;
  /** Longest wait, milliseconds */
  limitMs: number;
  now?: () => number;
  pause?: (ms: number) => Promise<unknown>;
}

/**
 * Waits until no worker of a build has a task. A report from before the wait may be older than the last task, so a worker counts
 * as free only after another report.
 * @throws CommandError while the build gets work, and after the limit
 */
export async function drainBuild(build: string, draining: Draining): Promise<void> {
  const { look, report, limitMs, now = () => performance.now(), pause = delay } = draining;
  const begun = now();
  /** The first report of each worker, its last one, and when that was first seen */
  const seen = new Map<string, { first: string; last: string; sinceMs: number }>();
  const isFree = (worker: WorkerTasks): boolean => {
    const key = `${worker.process} ${worker.taskQueue}`;
    const known = seen.get(key) ?? { first: worker.reportedAt, last: '', sinceMs: 0 };
    const { first } = known;
    const sinceMs = known.last === worker.reportedAt ? known.sinceMs : now();
    seen.set(key, { first, last: worker.reportedAt, sinceMs });
    if (now() - sinceMs >= SILENT_MS) return true;
    return worker.tasks === 0 && (worker.stopping || worker.reportedAt !== first);
  };
  for (let said = ''; ; await pause(LOOK_MS)) {
    const { state, workers } = await look(build);
    if (state !== 'INACTIVE') {
      throw new CommandError(`${build} gets work. Promote another build first: burnish workers promote <build>`);
    }
    const busy = workers.filter((worker) => !isFree(worker));
    if (busy.length === 0 && now() - begun >= FIRST_REPORT_MS) return;
    const sentence = describeBusy(build, busy);
    if (now() - begun >= limitMs) throw new CommandError(`${sentence} The time is over. Drain again, or stop them.`);
    if (sentence !== said) report(sentence);
    said = sentence;
  }
}

function describeBusy(build: string, busy: readonly WorkerTasks[]): string {
  const tasks = busy.reduce((sum, worker) => sum + worker.tasks, 0);
  if (tasks === 0) return `The workers of ${build} have still to report that they are free.`;
  const at = busy.filter((worker) => worker.tasks > 0).map(({ process, taskQueue }) => `${process} (${taskQueue})`);
  return `Workers of ${build} have ${counted(tasks, 'task')}: ${at.join(', ')}.`;
}
