/** A bounded number of places for work that runs at the same time. */
export interface Places {
  /** Resolves with a place: accounts take turns, and each in the order of its requests. @throws the signal's reason */
  enter(account: string, signal: AbortSignal | undefined): Promise<void>;
  /** Hands a place of the account over to the next request. */
  leave(account: string): void;
}

/** @param ofAccount places that one account may have at once. With fewer than there are, another account finds one free */
export function createPlaces(count: number, ofAccount = count): Places {
  /** Requests by account; the account that comes next is first */
  const waiting = new Map<string, (() => void)[]>();
  const taken = new Map<string, number>();
  let free = count;

  const mayEnter = (account: string): boolean => free > 0 && (taken.get(account) ?? 0) < ofAccount;

  function take(account: string): void {
    free -= 1;
    taken.set(account, (taken.get(account) ?? 0) + 1);
  }

  function giveBack(account: string): void {
    free += 1;
    const left = taken.get(account)! - 1;
    if (left > 0) taken.set(account, left);
    else taken.delete(account);
  }

  function takeNext(): void {
    const next = [...waiting].find(([account]) => mayEnter(account));
    if (next === undefined) return;
    const [account, requests] = next;
    const enter = requests.shift()!;
    waiting.delete(account);
    if (requests.length > 0) waiting.set(account, requests);
    take(account);
    enter();
  }

  return {
    enter(account, signal) {
      if (mayEnter(account)) {
        take(account);
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
    leave(account) {
      giveBack(account);
      takeNext();
    },
  };
}
