/** Work that waits for its turn. */
export interface Turn {
  /** Whose turn it takes, such as an account */
  owner: string;
  /** What the work is about; work of the same subject is limited further, of all owners together */
  subject?: string;
  /** Maximum wait for the turn in milliseconds; without it, the work waits as long as it takes */
  waitMs?: number;
  /** The error if the turn does not come in time, or if too much work of the owner waits */
  refusal(): Error;
}

export interface TurnLimits {
  /** Maximum number of turns at once, of all owners together */
  atOnce: number;
  /** Maximum number of turns at once of one owner */
  ofOwner: number;
  /** Maximum number of pieces of work at once with the same subject */
  ofSubject?: number;
  /** Maximum number of waiting pieces of one owner */
  waitingOfOwner?: number;
}

export interface OwnerTurns {
  /**
   * Runs work in its turn. A refused piece never runs.
   * @param work may end its turn early, and then runs on beside the turns of others; its subject stays limited until it ends
   * @throws the refusal of the turn; errors of the work
   */
  run<T>(turn: Turn, work: (endTurn: () => void) => Promise<T>): Promise<T>;
}

interface Waiter {
  subject: string | undefined;
  begin(): void;
}

/**
 * Gives turns to owners one after the other, so that nobody waits for all work of another owner. The work of one owner begins in
 * the order of its calls, except that work of a busy subject lets later work pass.
 */
export function createOwnerTurns(limits: TurnLimits): OwnerTurns {
  const { atOnce, ofOwner, ofSubject = Infinity, waitingOfOwner = Infinity } = limits;
  /** Owners with waiting work; the one that comes next is first */
  const waiting = new Map<string, Set<Waiter>>();
  const [turnsOf, runningOn] = [createCounts(), createCounts()];
  let taken = 0;

  /** Lets all that wait now come before further work of an owner. */
  function moveBehind(owner: string): void {
    const own = waiting.get(owner);
    waiting.delete(owner);
    if (own !== undefined && own.size > 0) waiting.set(owner, own);
  }

  function findNext(owner: string, own: ReadonlySet<Waiter>): Waiter | undefined {
    if (turnsOf.get(owner) >= ofOwner) return undefined;
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

  function untilTurn({ owner, subject, waitMs, refusal }: Turn): Promise<void> {
    return new Promise((resolve, reject) => {
      const own = waiting.get(owner) ?? new Set();
      if (own.size >= waitingOfOwner) {
        reject(refusal());
        return;
      }
      let timer: NodeJS.Timeout | undefined;
      const waiter: Waiter = {
        subject,
        begin() {
          clearTimeout(timer);
          taken += 1;
          turnsOf.add(owner, 1);
          if (subject !== undefined) runningOn.add(subject, 1);
          resolve();
        },
      };
      waiting.set(owner, own.add(waiter));
      if (waitMs !== undefined) {
        timer = setTimeout(() => {
          own.delete(waiter);
          if (own.size === 0) waiting.delete(owner);
          reject(refusal());
        }, waitMs);
      }
      beginNext();
    });
  }

  return {
    async run(turn, work) {
      await untilTurn(turn);
      const { owner, subject } = turn;
      let isOver = false;
      const endTurn = (): void => {
        if (isOver) return;
        isOver = true;
        taken -= 1;
        turnsOf.add(owner, -1);
        moveBehind(owner);
        beginNext();
      };
      try {
        return await work(endTurn);
      } finally {
        if (subject !== undefined) runningOn.add(subject, -1);
        // The next one of its subject may have waited for this end only.
        if (isOver) beginNext();
        else endTurn();
      }
    },
  };
}

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
