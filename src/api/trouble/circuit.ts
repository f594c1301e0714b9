import { Unavailable, type Part } from './unavailable.ts';

/** Number of consecutive failures after which a part counts as unavailable; a single request may fail by chance. */
const AWAY_AFTER = 3;
/** Interval in milliseconds in which one upload checks whether an unavailable part is back. */
const TRY_AGAIN_MS = 2_000;
/** Time in milliseconds after a failure for which the instance is not ready; then traffic may come and check again. */
const NOT_READY_MS = 30_000;

/** Parts whose failures say nothing about other uploads. */
const OF_ONE_REQUEST: readonly Part[] = ['gateway', 'bucket'];

/** Outcomes of uploads. While a part is known to be unavailable, uploads are refused at once. */
export interface Circuit {
  /** For a caller without an account yet. @throws Unavailable while it is not time for a check */
  assertMayCheck(): void;
  /** Lets an upload of an account pass, as the check if a part is unavailable. @throws Unavailable */
  pass(accountId: string): void;
  /** Counts an outcome. A failure other than of a part tells nothing. @param failure undefined for a success */
  report(failure: unknown): void;
  /** The part that recent uploads failed at, if uploads are refused */
  away(): Part | undefined;
}

/** @param now milliseconds of a monotonic clock */
export function createCircuit(now: () => number): Circuit {
  let inARow = 0;
  const refusals = new WeakSet<object>();
  let trouble: { part: Part; failedAt: number; checkAt: number; checker: string | undefined } | undefined;

  /** A refusal by this circuit, which is no failure of the part. */
  function refusal(part: Part): Unavailable {
    const error = new Unavailable(part);
    refusals.add(error);
    return error;
  }

  return {
    assertMayCheck() {
      if (trouble !== undefined && now() < trouble.checkAt) throw refusal(trouble.part);
    },
    pass(accountId) {
      if (trouble === undefined) return;
      // An account whose check has no outcome yet, such as a slow body, leaves the next one to others.
      const restMs = trouble.checker === accountId ? TRY_AGAIN_MS : 0;
      if (now() < trouble.checkAt + restMs) throw refusal(trouble.part);
      trouble.checkAt = now() + TRY_AGAIN_MS;
      trouble.checker = accountId;
    },
    report(failure) {
      if (failure === undefined) {
        inARow = 0;
        trouble = undefined;
        return;
      }
      if (!(failure instanceof Unavailable) || refusals.has(failure) || OF_ONE_REQUEST.includes(failure.part)) return;
      inARow += 1;
      if (inARow >= AWAY_AFTER) {
        trouble = { part: failure.part, failedAt: now(), checkAt: now() + TRY_AGAIN_MS, checker: undefined };
      }
    },
    away: () => (trouble !== undefined && now() < trouble.failedAt + NOT_READY_MS ? trouble.part : undefined),
  };
}
