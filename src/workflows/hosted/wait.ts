import { condition } from '@temporalio/workflow';
import { HOSTED_POLLING } from '../../domain/temporal/retry-policies.ts';
import type { WhileIdle } from '../step.ts';

/** Number of signals since the workflow began. A higher number tells the reader to poll again. */
export type WakeUps = () => number;

const { share, shortestMs, longestMs } = HOSTED_POLLING;

export interface HostedWait<T> {
  read: () => Promise<T>;
  settled: (state: T) => boolean;
  wakeUps: WakeUps;
  /** Time limit of the wait, in milliseconds */
  withinMs: number;
  /** Start of the wait in milliseconds since the epoch; the current time by default */
  since?: number;
  summary: string;
  /** Marks the waits at which the workflow may continue as new */
  whileIdle?: WhileIdle;
}

/**
 * Polls the state at the hosted service until it is settled. It reads at once, after each event, and at intervals that grow
 * with the time waited.
 * @returns the settled state, or undefined after the time limit
 */
export async function awaitHosted<T>({
  read,
  settled,
  wakeUps,
  withinMs,
  since = Date.now(),
  summary,
  whileIdle = (wait) => wait(),
}: HostedWait<T>): Promise<T | undefined> {
  for (;;) {
    const seen = wakeUps();
    const state = await read();
    if (settled(state)) return state;
    const waited = Date.now() - since;
    if (waited >= withinMs) return undefined;
    const interval = Math.min(Math.max(waited * share, shortestMs), longestMs, withinMs - waited);
    await whileIdle(() => condition(() => wakeUps() > seen, Math.max(1, Math.round(interval)), { summary }));
  }
}
