import type { Logger } from 'pino';
import { CHANGES_CHANNEL } from '../../database/changes.ts';
import type { Database } from '../../database/database.ts';

export interface ChangeFanout {
  /**
   * Calls `wake` when the upload may have changed, sometimes without a change.
   * @returns a function that ends the subscription
   */
  subscribe(subjectId: string, wake: () => void): () => void;
  close(): Promise<void>;
}

export interface ChangeFanoutDeps {
  listen: Database['listen'];
  /** Interval of polling in milliseconds, which limits the delay after a lost notification */
  pollMs: number;
  log: Logger;
}

/** One database subscription for all streams of the process, opened for the first subscriber. */
export function createChangeFanout({ listen, pollMs, log }: ChangeFanoutDeps): ChangeFanout {
  const wakes = new Map<string, Set<() => void>>();
  let listening: Promise<(() => Promise<void>) | undefined> | undefined;
  let poll: NodeJS.Timeout | undefined;

  const wakeAll = (): void => wakes.forEach((each) => each.forEach((wake) => wake()));
  const onChange = (subjectId: string | null): void => {
    if (subjectId === null) wakeAll();
    else wakes.get(subjectId)?.forEach((wake) => wake());
  };

  /** Wakes all watchers, since they missed changes before the listening began. */
  const tellMissed = <Stop>(stop: Stop): Stop => {
    wakeAll();
    return stop;
  };

  function start(): void {
    listening ??= listen(CHANGES_CHANNEL, onChange).then(tellMissed, (error: unknown) => {
      // Polling replaces the notifications meanwhile, and the next subscriber retries.
      log.warn({ err: error }, 'change notifications are not available');
      listening = undefined;
      return undefined;
    });
    poll ??= setInterval(wakeAll, pollMs).unref();
  }

  return {
    subscribe(subjectId, wake) {
      start();
      const group = wakes.get(subjectId) ?? new Set();
      wakes.set(subjectId, group.add(wake));
      return () => {
        group.delete(wake);
        if (group.size === 0 && wakes.get(subjectId) === group) wakes.delete(subjectId);
        if (wakes.size > 0) return;
        clearInterval(poll);
        poll = undefined;
      };
    },
    async close() {
      clearInterval(poll);
      const stop = await listening;
      await stop?.();
    },
  };
}
