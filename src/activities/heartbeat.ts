import { Context } from '@temporalio/activity';
import type { EnhancementProgress } from '../domain/enhancement/enhancement.ts';
import { HEARTBEAT_EVERY_MS } from '../domain/temporal/timeouts.ts';
import type { Watch } from './provider/provider.ts';

/**
 * Runs work with heartbeats that carry its latest progress. The signal passes on a cancellation.
 * @param everyMs milliseconds between two heartbeats
 */
export async function withHeartbeat<T>(
  work: (watch: Watch) => Promise<T>,
  everyMs: number = HEARTBEAT_EVERY_MS,
): Promise<T> {
  const context = Context.current();
  let progress: EnhancementProgress | undefined;
  const timer = setInterval(() => context.heartbeat(progress), everyMs);
  try {
    return await work({
      signal: context.cancellationSignal,
      onProgress(latest) {
        progress = latest;
      },
    });
  } finally {
    clearInterval(timer);
  }
}
