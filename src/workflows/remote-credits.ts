import { sleep } from '@temporalio/workflow';
import { counted, formatNumber } from '../domain/counted.ts';
import { Failure } from '../domain/failures.ts';
import type { EnhancementTracker } from './enhancement-state.ts';
import { failureReason } from './failure-reason.ts';
import type { RemoteCalls } from './remote-calls.ts';

/** Our account at the service has no events of its own: it is looked at again after this, then ever more rarely. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 15 * 60_000;

/** Whether the service refused for want of credits, whatever it said of them before. */
export function isOutOfRemoteCredits(error: unknown): boolean {
  return failureReason(error).code === 'INSUFFICIENT_CREDITS';
}

/**
 * Returns once the service has credits for the enhancement, waiting for as long as the request allows.
 * @param since when the waiting began, epoch milliseconds
 * @param refused whether the service has refused just now, so that asking at once would only be refused again
 * @throws Failure INSUFFICIENT_CREDITS when the wait is over
 */
export async function awaitRemoteCredits(
  tracker: EnhancementTracker,
  calls: RemoteCalls,
  { since, refused }: { since: number; refused: boolean },
): Promise<void> {
  const { state } = tracker;
  const credits = state.estimatedCredits ?? 0;
  let enough = !refused;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const { remaining } = await calls.readRemoteCredits();
    if (enough && remaining >= credits) return;
    const left = since + state.creditWaitMs - Date.now();
    if (left <= 0) {
      const detail = `The enhancement needs ${counted(credits, 'credit')}, and the hosted service has too few.`;
      throw new Failure('INSUFFICIENT_CREDITS', { detail });
    }
    if (state.status !== 'AWAITING_CREDITS') {
      const shortage = `${formatNumber(credits)} needed, ${formatNumber(remaining)} left`;
      await tracker.move({ status: 'AWAITING_CREDITS' }, `Waiting for credits at the hosted service: ${shortage}.`);
    }
    await sleep(Math.min(pause, left), { summary: 'credits at the hosted service' });
    enough = true;
  }
}
