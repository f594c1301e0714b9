/** A request for a permit to run work. */
export interface PermitRequest {
  /** Whose permits it counts to, such as an account */
  owner: string;
  /** What the work is about; work of the same subject is limited further, of all owners together */
  subject?: string;
  /** Maximum wait for the permit in milliseconds; without it, the work waits as long as it takes */
  waitMs?: number;
  /** Ends the wait with its reason */
  signal?: AbortSignal | undefined;
  /** The error without a permit in time, or if too much work waits. @param ofOwner permits of one owner */
  refusal?(ofOwner: number): Error;
}

export interface FairLimits {
  /** Maximum number of permits at once, of all owners together */
  atOnce: number;
  /** Maximum number of permits at once of one owner, by default all. With fewer, another owner finds one free */
  ofOwner?: number;
  /** Maximum number of pieces of work at once with the same subject */
  ofSubject?: number;
  /** Maximum number of waiting pieces of one owner; with 0, work begins at once or never */
  waitingOfOwner?: number;
  /** Maximum number of pieces of all owners together that run or wait; each owner may always have one */
  inAll?: number;
}

export interface FairLimiter {
  /**
   * Runs work with a permit. A refused piece never runs.
   * @param work may release its permit early, and then runs on beside the work of others; its subject stays limited until it ends
   * @throws the refusal of the request, or the reason of its signal; errors of the work
   */
  run<T>(request: PermitRequest, work: (release: () => void) => Promise<T>): Promise<T>;
}

interface Waiter {
  subject: string | undefined;
  begin(): void;
}

/**
 * Gives permits to owners one after the other, so that nobody waits for all work of another owner. The work of one owner begins in
 * the order of its calls, except that work of a busy subject lets later work pass.
 */
export function createFairLimiter(limits: FairLimits): FairLimiter {
  const { atOnce, ofOwner = atOnce, ofSubject = Infinity, waitingOfOwner = Infinity, inAll = Infinity } = limits;
  /** Owners with waiting work; the one that comes next is first */
  const waiting = new Map<string, Set<Waiter>>();
  const [permitsOf, runningOn] = [createCounts(), createCounts()];
  let taken = 0;
  let waitingInAll = 0;

  /** Lets all that wait now come before further work of an owner. */
  function moveBehind(owner: string): void {
    const own = waiting.get(owner);
    waiting.delete(owner);
    if (own !== undefined && own.size > 0) waiting.set(owner, own);
  }

  function findNext(owner: string, own: ReadonlySet<Waiter>): Waiter | undefined {
    if (permitsOf.get(owner) >= ofOwner) return undefined;
    for (const each of own) if (each.subject === undefined || runningOn.get(each.subject) < ofSubject) return each;
    return undefined;
  }

  function beginNext(): void {
    // An owner that moves behind is visited again.
    for (const [owner, own] of waiting) {
      if (taken >= atOnce) return;
      const next = findNext(owner, own);
      if (next === undefined) continue;
      own.delete(next);
      moveBehind(owner);
      next.begin();
    }
  }

  function untilPermitted({ owner, subject, waitMs, signal, refusal = tooMuch }: PermitRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const own = waiting.get(owner) ?? new Set();
      const isFurther = own.size + permitsOf.get(owner) > 0;
      let timer: NodeJS.Timeout | undefined;
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        waitingInAll -= 1;
      };
      const waiter: Waiter = {
        subject,
        begin() {
          leave();
          taken += 1;
          permitsOf.add(owner, 1);
          if (subject !== undefined) runningOn.add(subject, 1);
          resolve();
        },
      };
      const withdraw = (reason: Error): void => {
        leave();
        own.delete(waiter);
        if (own.size === 0) waiting.delete(owner);
        reject(reason);
      };
      const abort = (): void => withdraw(signal?.reason as Error);
      waiting.set(owner, own.add(waiter));
      waitingInAll += 1;
      beginNext();
      if (!own.has(waiter)) return;
      const isOneTooMany = own.size > waitingOfOwner || (isFurther && taken + waitingInAll > inAll);
      if (isOneTooMany) return withdraw(refusal(ofOwner));
      if (waitMs !== undefined) timer = setTimeout(() => withdraw(refusal(ofOwner)), waitMs);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  return {
    async run(request, work) {
      const { owner, subject, signal } = request;
      signal?.throwIfAborted();
      await untilPermitted(request);
      let isOver = false;
      const release = (): void => {
        if (isOver) return;
        isOver = true;
        taken -= 1;
        permitsOf.add(owner, -1);
        moveBehind(owner);
        beginNext();
      };
      try {
        return await work(release);
      } finally {
        if (subject !== undefined) runningOn.add(subject, -1);
        // The next one of its subject may have waited for this end only.
        if (isOver) beginNext();
        else release();
      }
    },
  };
}

const tooMuch = (): Error => new Error('Too much work runs or waits. Try again later.');

/** Numbers by key, without the keys of zero. */
function createCounts() {
  const counts = new Map<string, number>();
  const get = (key: string): number => counts.get(key) ?? 0;
  return {
    get,
    add(key: string, by: number): void {
      const sum = get(key) + by;
      if (sum === 0) counts.delete(key);
      else counts.set(key, sum);
    },
  };
}
