/** One of the bounds on the work of a holder. */
export interface Share {
  key: string;
  /** Permits */
  limit: number;
}

/** Work that did not begin, because a share of its holder had no permit. */
export interface Deferred {
  /** Milliseconds until its reserved time */
  deferredMs: number;
}

export interface SharedPermits<Holder> {
  /** Runs work with a permit of each share of its holder, or reserves a time for it if one of them is full. */
  hold<T>(holder: Holder, work: () => Promise<T>): Promise<T | Deferred>;
}

export interface PermitsOptions<Holder> {
  sharesOf: (holder: Holder) => Share[];
  /**
   * Estimates for how long work holds a permit. Reserved times are as far apart as permits become free then.
   * @param meanAgeMs mean time since the start of the work that holds permits now
   */
  heldMs: (meanAgeMs: number) => number;
  /** Bounds of the wait for a permit, milliseconds */
  waitMs: { shortest: number; longest: number };
  /** Milliseconds of a monotonic clock */
  now?: () => number;
}

interface Use {
  taken: number;
  /** Sum of the starts of the work that holds permits, milliseconds */
  startsMs: number;
  /** The last reserved time, milliseconds */
  reservedUntil: number;
}

/** Bounds the work that runs at once in a process, so that work which waits for another machine delays its holder only. */
export function createSharedPermits<Holder>({
  sharesOf,
  heldMs,
  waitMs,
  now = () => performance.now(),
}: PermitsOptions<Holder>): SharedPermits<Holder> {
  const uses = new Map<string, Use>();

  const isFull = ({ key, limit }: Share): boolean => (uses.get(key)?.taken ?? 0) >= limit;

  function take({ key }: Share, startedAt: number): void {
    const use = uses.get(key) ?? { taken: 0, startsMs: 0, reservedUntil: 0 };
    uses.set(key, { ...use, taken: use.taken + 1, startsMs: use.startsMs + startedAt });
  }

  function leave({ key }: Share, startedAt: number): void {
    const use = uses.get(key)!;
    use.taken -= 1;
    use.startsMs -= startedAt;
    if (use.taken === 0) uses.delete(key);
  }

  /** @returns milliseconds until the reserved time */
  function reserve({ key, limit }: Share): number {
    const use = uses.get(key)!;
    const at = now();
    use.reservedUntil = Math.max(at, use.reservedUntil) + heldMs(at - use.startsMs / use.taken) / limit;
    return use.reservedUntil - at;
  }

  return {
    async hold(holder, work) {
      const shares = sharesOf(holder);
      const full = shares.filter(isFull);
      if (full.length > 0) {
        const wait = Math.max(waitMs.shortest, ...full.map(reserve));
        return { deferredMs: Math.ceil(Math.min(waitMs.longest, wait)) };
      }
      const startedAt = now();
      for (const share of shares) take(share, startedAt);
      try {
        return await work();
      } finally {
        for (const share of shares) leave(share, startedAt);
      }
    },
  };
}
