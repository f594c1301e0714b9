import { Failure } from '@burnish/contract';

/** Number of list items that one request completes before it yields to others: a few milliseconds of work. */
export const ITEMS_A_SLICE = 50;
/** Maximum number of items in all lists of one response. Serializing more would block the process for too long. */
export const MAX_ITEMS = 5_000;

/** Shares the event loop between a request with long lists and other requests. */
export interface ItemScheduler {
  /**
   * Waits until the next item may be completed.
   * @throws Failure BAD_USER_INPUT beyond `MAX_ITEMS`
   */
  next(): Promise<void> | undefined;
}

/**
 * The scheduler of one request, shared by all lists that it completes concurrently.
 * @param nextSlice runs a function once the event loop has served other work
 */
export function createItemScheduler(
  nextSlice: (begin: () => void) => void = (begin) => void setImmediate(begin),
): ItemScheduler {
  const waiting: (() => void)[] = [];
  let left = ITEMS_A_SLICE;
  let items = 0;

  function begin(): void {
    left = ITEMS_A_SLICE;
    for (const proceed of waiting.splice(0, ITEMS_A_SLICE)) {
      left -= 1;
      proceed();
    }
    if (waiting.length > 0) nextSlice(begin);
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
        if (waiting.push(proceed) === 1) nextSlice(begin);
      });
    },
  };
}

/** Yields the items, each in its slice. */
export async function* scheduled<Item>(items: Iterable<Item>, scheduler: ItemScheduler): AsyncGenerator<Item> {
  for (const item of items) {
    await scheduler.next();
    yield item;
  }
}
