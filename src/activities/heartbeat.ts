import { Context } from '@temporalio/activity';
import type { EnhancementProgress } from '@burnish/engine/contract';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { heartbeatEveryMs } from '../domain/temporal/timeouts.ts';

/** What long work asks and tells while it runs. */
export interface Watch {
  /** Passes on a cancellation within seconds */
  signal: AbortSignal;
  onProgress(progress: EnhancementProgress): void;
}

/** Latest progress of running activities. A heartbeat without it would erase it. */
const latest = new WeakMap<Context, EnhancementProgress>();

/** Sends heartbeats for each activity with a heartbeat timeout. They carry the latest progress. */
export function heartbeatInterceptor(context: Context): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const { heartbeatTimeoutMs } = context.info;
      if (heartbeatTimeoutMs === undefined) return next(input);
      const beat = (): void => context.heartbeat(latest.get(context));
      const timer = setInterval(beat, heartbeatEveryMs(heartbeatTimeoutMs));
      try {
        return await next(input);
      } finally {
        clearInterval(timer);
      }
    },
  };
}

/** The watch of the current activity. A change of the progress is sent at once, and the worker sends at most one a second. */
export function currentWatch(): Watch {
  const context = Context.current();
  return {
    signal: context.cancellationSignal,
    onProgress(progress) {
      latest.set(context, progress);
      context.heartbeat(progress);
    },
  };
}
