import { condition } from '@temporalio/workflow';
import type { WakeUps } from './provider-events.ts';

const SHORTEST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
/** A webhook that was lost delays by at most this share of the time that the work has taken so far. */
const PAUSE_SHARE = 0.1;

export interface RemoteWait<T> {
  read: () => Promise<T>;
  settled: (state: T) => boolean;
  wakeUps: WakeUps;
  /** Milliseconds after which nothing is expected any more */
  withinMs: number;
  /** For people who look at the workflow's timers */
  summary: string;
}

/**
 * Reads the state at the hosted service until it is settled: at once, with each event, and by polling behind that, with
 * pauses that grow with the time waited.
 * @returns the settled state, or undefined when the time is over
 */
export async function awaitRemote<T>({
  read,
  settled,
  wakeUps,
  withinMs,
  summary,
}: RemoteWait<T>): Promise<T | undefined> {
  const startedAt = Date.now();
  for (;;) {
    const seen = wakeUps();
    const state = await read();
    if (settled(state)) return state;
    const waited = Date.now() - startedAt;
    if (waited >= withinMs) return undefined;
    const pause = Math.min(Math.max(waited * PAUSE_SHARE, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS, withinMs - waited);
    await condition(() => wakeUps() > seen, Math.max(1, Math.round(pause)), { summary });
  }
}
