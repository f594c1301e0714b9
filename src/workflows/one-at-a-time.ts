import { CancellationScope, patched } from '@temporalio/workflow';

/** Local activities of this workflow that have begun and not ended. Workflows of earlier versions have several. */
let running = 0;
/** Begins the next ones, in the order of their calls */
const waiting = new Set<() => void>();

/**
 * Lets a local activity begin once no other one of its workflow runs. A worker gets the results of concurrent ones one by one, and
 * a replay gets them together: the code behind them would then issue its commands in another order.
 */
export function oneAtATime<Args extends unknown[], T>(run: (...args: Args) => Promise<T>) {
  return async (...args: Args): Promise<T> => {
    if (running > 0 && patched('one-record-at-a-time')) await untilTurn();
    else running += 1;
    try {
      return await run(...args);
    } finally {
      endTurn();
    }
  };
}

/** @throws CancelledFailure if its scope is cancelled before its turn */
function untilTurn(): Promise<void> {
  return new Promise((resolve, reject) => {
    waiting.add(resolve);
    CancellationScope.current().cancelRequested.catch((cancellation: Error) => {
      if (waiting.delete(resolve)) reject(cancellation);
    });
  });
}

function endTurn(): void {
  running -= 1;
  const [next] = waiting;
  if (running > 0 || next === undefined) return;
  waiting.delete(next);
  running += 1;
  next();
}
