import { condition } from '@temporalio/workflow';
import { HOSTED_POLLING } from '../../domain/temporal/retry-policies.ts';
import type { Rest } from '../step-failures.ts';
import type { WakeUps } from './events.ts';

const { share, shortestMs, longestMs } = HOSTED_POLLING;

export interface HostedWait<T> {
  read: () => Promise<T>;
  settled: (state: T) => boolean;
  wakeUps: WakeUps;
  /** Milliseconds after which nothing is expected any more */
  withinMs: number;
  /** When the wait began, milliseconds since the epoch; now by default */
  since?: number;
  /** For people looking at the workflow's timers */
  summary: string;
  /** Marks the waits at which the workflow may continue as new */
  rest?: Rest;
}

/**
 * Reads the state at the hosted service until it is settled: at once, with each event, and by polling behind that, with
 * intervals that grow with the time waited.
 * @returns the settled state, or undefined when the time is over
 */
export async function awaitHosted<T>({
  read,
  settled,
  wakeUps,
  withinMs,
  since = Date.now(),
  summary,
  rest = (wait) => wait(),
}: HostedWait<T>): Promise<T | undefined> {
  for (;;) {
    const seen = wakeUps();
    const state = await read();
    if (settled(state)) return state;
    const waited = Date.now() - since;
    if (waited >= withinMs) return undefined;
    const interval = Math.min(Math.max(waited * share, shortestMs), longestMs, withinMs - waited);
    await rest(() => condition(() => wakeUps() > seen, Math.max(1, Math.round(interval)), { summary }));
  }
}
