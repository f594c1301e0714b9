import { CancellationScope } from '@temporalio/workflow';

/** Whether a local activity of this workflow has begun and not ended */
let isRunning = false;
/** Begins the next ones, in the order of their calls */
const waiting = new Set<() => void>();

/**
 * Lets a local activity begin once no other one of its workflow runs. A worker gets the results of concurrent ones one by one, and
 * a replay gets them together: the code behind them would then issue its commands in another order.
 */
export function oneAtATime<Args extends unknown[], T>(run: (...args: Args) => Promise<T>) {
  return async (...args: Args): Promise<T> => {
    if (isRunning) await acquire();
    isRunning = true;
    try {
      return await run(...args);
    } finally {
      release();
    }
  };
}

/** @throws CancelledFailure if its scope is cancelled before that */
function acquire(): Promise<void> {
  return new Promise((resolve, reject) => {
    waiting.add(resolve);
    CancellationScope.current().cancelRequested.catch((cancellation: Error) => {
      if (waiting.delete(resolve)) reject(cancellation);
    });
  });
}

function release(): void {
  const [next] = waiting;
  // It stays taken, so that a call before the next one begins waits behind it.
  isRunning = next !== undefined;
  if (next === undefined) return;
  waiting.delete(next);
  next();
}
