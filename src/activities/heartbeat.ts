import { Context } from '@temporalio/activity';
import type { EnhancementProgress } from '@burnish/contract';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { heartbeatEveryMs, PROGRESS_WITHIN_MS } from '../domain/temporal/timeouts.ts';

/** What long work asks and tells while it runs. */
export interface Watch {
  /** Passes on a cancellation within seconds */
  signal: AbortSignal;
  onProgress(progress: EnhancementProgress): void;
}

interface Beats {
  /** A heartbeat without the latest progress would erase it */
  progress?: EnhancementProgress;
  /** Sends a change of the progress */
  timer?: NodeJS.Timeout | undefined;
}

const running = new WeakMap<Context, Beats>();

/** Sends heartbeats for each activity with a heartbeat timeout. They carry the latest progress. */
export function heartbeatInterceptor(context: Context): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const { heartbeatTimeoutMs } = context.info;
      if (heartbeatTimeoutMs === undefined) return next(input);
      const beats: Beats = {};
      running.set(context, beats);
      const timer = setInterval(() => context.heartbeat(beats.progress), heartbeatEveryMs(heartbeatTimeoutMs));
      try {
        return await next(input);
      } finally {
        clearInterval(timer);
        clearTimeout(beats.timer);
      }
    },
  };
}

/** The watch of the current activity. It sends a change of the progress within half a second, so that short work sends none. */
export function currentWatch(): Watch {
  const context = Context.current();
  const beats = running.get(context);
  return {
    signal: context.cancellationSignal,
    onProgress(progress) {
      if (beats === undefined) return;
      beats.progress = progress;
      beats.timer ??= setTimeout(() => {
        beats.timer = undefined;
        context.heartbeat(beats.progress);
      }, PROGRESS_WITHIN_MS);
    },
  };
}
