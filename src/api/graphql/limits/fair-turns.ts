import { Failure } from '../../../domain/failures.ts';

/** Number of list items that one request completes before it yields to others: a few milliseconds of work. */
export const ITEMS_A_TURN = 50;
/** Maximum number of items in all lists of one response. Serializing more would block the process for too long. */
export const MAX_ITEMS = 5_000;

/** Shares the event loop between a request with long lists and other requests. */
export interface Turns {
  /**
   * Waits until the next item may be completed.
   * @throws Failure BAD_USER_INPUT beyond `MAX_ITEMS`
   */
  next(): Promise<void> | undefined;
}

/**
 * The turns of one request, shared by all lists that it completes concurrently.
 * @param nextTurn runs a function once the event loop has served other work
 */
export function createTurns(nextTurn: (begin: () => void) => void = (begin) => void setImmediate(begin)): Turns {
  const waiting: (() => void)[] = [];
  let left = ITEMS_A_TURN;
  let items = 0;

  function begin(): void {
    left = ITEMS_A_TURN;
    for (const proceed of waiting.splice(0, ITEMS_A_TURN)) {
      left -= 1;
      proceed();
    }
    if (waiting.length > 0) nextTurn(begin);
  }

  return {
    next() {
      items += 1;
      if (items > MAX_ITEMS) {
        const detail = `The response would contain more than ${MAX_ITEMS} list items. Request smaller pages.`;
        throw new Failure('BAD_USER_INPUT', { detail });
      }
      if (left > 0) {
        left -= 1;
        return undefined;
      }
      return new Promise((proceed) => {
        if (waiting.push(proceed) === 1) nextTurn(begin);
      });
    },
  };
}

/** Yields the items, each in its turn. */
export async function* inTurns<Item>(items: Iterable<Item>, turns: Turns): AsyncGenerator<Item> {
  for (const item of items) {
    await turns.next();
    yield item;
  }
}
