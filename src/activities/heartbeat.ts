import { Context } from '@temporalio/activity';
import type { EnhancementProgress } from '@burnish/engine/contract';
import { ENGINE_HEARTBEAT_EVERY_MS, heartbeatEveryMs } from '../domain/temporal/timeouts.ts';
import type { Watch } from './provider/provider.ts';

/**
 * Runs work of the engine with heartbeats that carry its latest progress. A change of the progress is sent within half a second.
 * Without one, heartbeats are as rare as those of other work. The signal passes on a cancellation within seconds.
 */
export const withProgress = <T>(work: (watch: Watch) => Promise<T>): Promise<T> =>
  beating(work, ENGINE_HEARTBEAT_EVERY_MS);

/** Runs other work with heartbeats. The signal passes on a cancellation within seconds. */
export const withHeartbeat = <T>(work: (watch: Watch) => Promise<T>): Promise<T> => beating(work, Infinity);

/** A timer may fire this early, milliseconds. The next look would come when the heartbeat timeout ends. */
const EARLY_MS = 5;

/** @param lookEveryMs interval between two looks at the progress */
async function beating<T>(work: (watch: Watch) => Promise<T>, lookEveryMs: number): Promise<T> {
  const context = Context.current();
  const everyMs = heartbeatEveryMs(context.info.heartbeatTimeoutMs);
  let progress: EnhancementProgress | undefined;
  let told = progress;
  let toldAt = performance.now();
  const look = (): void => {
    const now = performance.now();
    if (progress === told && now - toldAt < everyMs - EARLY_MS) return;
    [told, toldAt] = [progress, now];
    context.heartbeat(progress);
  };
  const timer = setInterval(look, Math.min(everyMs, lookEveryMs));
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
