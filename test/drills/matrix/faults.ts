import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, type ProcessIdentity } from '../../../src/process/process-identity.ts';
import { killAtOnce, processTree } from '../../e2e/processes.ts';
import { decoders } from '../../support/decoders.ts';
import type { Place, Processes } from './place.ts';

/** Each place has some of these. */
export const COMPONENTS = [
  'gateway',
  'workflow worker',
  'engine worker',
  'instance',
  'decoders',
  'Temporal node',
  'Temporal server',
  'Temporal with EIO',
  'Temporal with EROFS',
  'Temporal with ENOSPC',
  'PostgreSQL',
  'database with EIO',
  'database with EROFS',
  'database with ENOSPC',
  'storage',
  'storage with EIO',
  'storage with EROFS',
  'storage with ENOSPC',
  'storage with EACCES',
  'unmounted storage',
  'exchanged storage',
  'older Temporal',
  'older database',
  'network that refuses',
  'network that holds',
  'network that cuts',
] as const;
export type Component = (typeof COMPONENTS)[number];

/** The failing component of a row; `nothing` measures the time without a fault. */
export type Failing = Component | 'nothing';

export const FAULTS = ['kill', 'stop', 'long stop', 'restart'] as const;
export type Fault = (typeof FAULTS)[number];

/** Durations of faults in seconds. */
export interface FaultTimes {
  stop: number;
  longStop: number;
}

/** Time until an orchestrator replaces a dead process. */
const REPLACED_AFTER_MS = 3_000;
/** Interval in which a stop reaches processes that replace stopped ones. */
const STOPPED_EVERY_MS = 1_000;

/** Makes one part of a place fail, and returns after its recovery. The restart of an outage is an interruption of seconds. */
export async function commit(place: Place, component: Failing, fault: Fault, times: FaultTimes): Promise<void> {
  if (component === 'nothing') return;
  const part = place.parts[component];
  if (part === undefined) throw new Error(`Nothing here is called "${component}".`);
  const seconds = fault === 'long stop' ? times.longStop : times.stop;
  if (typeof part === 'function') {
    const end = await part();
    await delay(fault === 'restart' ? REPLACED_AFTER_MS : seconds * 1000);
    return end();
  }
  if (fault === 'kill' || fault === 'restart') {
    await (fault === 'kill' ? part.kill() : part.stop());
    await delay(fault === 'kill' ? REPLACED_AFTER_MS : 0);
    return part.start();
  }
  const stopped: ProcessIdentity[] = [];
  for (const until = performance.now() + seconds * 1000; performance.now() < until; await delay(STOPPED_EVERY_MS)) {
    const others = part.pids().filter((pid) => !stopped.some((each) => each.pid === pid));
    const found = others.flatMap(processTree);
    for (const { pid } of found) process.kill(pid, 'SIGSTOP');
    stopped.push(...found);
  }
  for (const each of stopped) if (isRunning(each)) process.kill(each.pid, 'SIGCONT');
}

/** Whether the combination exists: only processes can be killed. */
export function exists({ parts }: Place, component: Component, fault: Fault): boolean {
  const part = parts[component];
  return part !== undefined && (typeof part !== 'function' || fault !== 'kill');
}

/** The decoders of these processes, which their owners replace. */
export function decodersOf(owners: () => readonly { pid: number }[]): Processes {
  const pids = (): number[] => owners().flatMap(({ pid }) => decoders(pid));
  const kill = (): Promise<void> => killAtOnce(pids().flatMap(processTree));
  return { pids, kill, stop: kill, start: () => Promise.resolve() };
}
