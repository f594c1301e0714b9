/** A bounded number of places for work that runs at the same time. */
export interface Places {
  /** Resolves with a place: accounts take turns, and each in the order of its requests. @throws the signal's reason */
  enter(account: string, signal: AbortSignal | undefined): Promise<void>;
  /** Hands a place over to the next request. */
  leave(): void;
}

export function createPlaces(count: number): Places {
  /** Requests by account; the account that comes next is first */
  const waiting = new Map<string, (() => void)[]>();
  let free = count;

  function takeNext(): (() => void) | undefined {
    const [next] = waiting;
    if (next === undefined) return undefined;
    const [account, requests] = next;
    const place = requests.shift();
    waiting.delete(account);
    if (requests.length > 0) waiting.set(account, requests);
    return place;
  }

  return {
    enter(account, signal) {
      if (free > 0) {
        free -= 1;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const requests = waiting.get(account) ?? [];
        const place = (): void => {
          signal?.removeEventListener('abort', leave);
          resolve();
        };
        const leave = (): void => {
          requests.splice(requests.indexOf(place), 1);
          if (requests.length === 0) waiting.delete(account);
          reject(signal?.reason as Error);
        };
        requests.push(place);
        waiting.set(account, requests);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
    leave() {
      const next = takeNext();
      if (next) next();
      else free += 1;
    },
  };
}
