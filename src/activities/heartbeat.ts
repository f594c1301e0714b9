import { Context } from '@temporalio/activity';
import type { EnhancementProgress } from '../domain/enhancement/enhancement.ts';
import { ENGINE_HEARTBEAT_EVERY_MS, heartbeatEveryMs } from '../domain/temporal/timeouts.ts';
import type { Watch } from './provider/provider.ts';

/** Runs work of the engine with heartbeats that carry its latest progress. The signal passes on a cancellation within a second. */
export const withProgress = <T>(work: (watch: Watch) => Promise<T>): Promise<T> =>
  beating(work, ENGINE_HEARTBEAT_EVERY_MS);

/** Runs other work with heartbeats. The signal passes on a cancellation within seconds. */
export const withHeartbeat = <T>(work: (watch: Watch) => Promise<T>): Promise<T> =>
  beating(work, heartbeatEveryMs(Context.current().info.heartbeatTimeoutMs));

async function beating<T>(work: (watch: Watch) => Promise<T>, everyMs: number): Promise<T> {
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
