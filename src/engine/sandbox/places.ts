/** A bounded number of places for work that runs at the same time. */
export interface Places {
  /** Resolves with a place, in the order of the requests. @throws the signal's reason */
  enter(signal: AbortSignal | undefined): Promise<void>;
  /** Hands a place over to the next request. */
  leave(): void;
}

export function createPlaces(count: number): Places {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    enter(signal) {
      if (free > 0) {
        free -= 1;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const place = (): void => {
          signal?.removeEventListener('abort', leave);
          resolve();
        };
        const leave = (): void => {
          waiting.splice(waiting.indexOf(place), 1);
          reject(signal?.reason as Error);
        };
        waiting.push(place);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
    leave() {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}
