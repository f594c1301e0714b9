/** How fast the clocks of test accounts wake workflows. */
export interface WakePace {
  /**
   * Counts workflows that an account wakes now.
   * @param nowMs milliseconds of a monotonic clock
   * @returns milliseconds to wait before them; 0 while the account has woken few of late
   */
  delayOf(accountId: string, count: number, nowMs: number): number;
}

/**
 * A pace for each account by the generic cell rate algorithm (ITU-T I.371): a number of workflows at once, then so many a second.
 * Each woken workflow costs the workflow service two tasks, so a clock that never rests leaves the service to others.
 */
export function createWakePace({ atOnce, aSecond }: { atOnce: number; aSecond: number }): WakePace {
  const intervalMs = 1_000 / aSecond;
  const tolerance = atOnce * intervalMs;
  /** By account: the moment at which it may again wake all at once. A rested account has none. */
  const restedAt = new Map<string, number>();

  return {
    delayOf(accountId, count, nowMs) {
      for (const [id, at] of restedAt) if (at <= nowMs) restedAt.delete(id);
      const next = Math.max(restedAt.get(accountId) ?? 0, nowMs) + count * intervalMs;
      restedAt.set(accountId, next);
      return Math.max(0, next - nowMs - tolerance);
    },
  };
}
