import { Failure, type FailureCode } from '@burnish/contract';
import { createFairLimiter } from '../../process/fair-limiter.ts';

export interface BoundedWork {
  /**
   * Runs a piece of work with a permit of its owner. Equal requests share it while it waits or runs. A refusal is cached for a
   * while, so that a broken or slow file is not opened again and again.
   * @param key identifies the result
   * @param owner each owner has one running piece, and a limited number of waiting ones
   * @throws Failure RATE_LIMITED when too many wait; errors of the work
   */
  share<T>(key: string, owner: string, work: () => Promise<T>): Promise<T>;
}

export interface BoundedWorkOptions {
  /** Pieces that run at once, each of another owner */
  atOnce: number;
  /** Maximum number of waiting pieces of one owner */
  waitingOfOwner?: number;
  /** Maximum number of running and waiting pieces of all owners together; each owner may always have one */
  inAll?: number;
  /** Cache time of a refusal in milliseconds */
  refusalMs?: number;
  /** Milliseconds of a monotonic clock */
  now?: () => number;
  /** What too many pieces are called in a refusal */
  nouns?: string;
}

/** Enough for pages of 100 thumbnails in a few windows. A preview takes about 0.1 s, one of a large HEIC seconds. */
const BOUNDS = {
  inAll: 400,
  waitingOfOwner: 200,
  refusalMs: 10 * 60_000,
  now: () => performance.now(),
  nouns: 'previews or estimates',
};

const REFUSALS_KEPT = 500;
/** Refusals that are not cached, since the caller may send the password, or the operator restore the file, at any time. */
const MENDED_LATER: readonly FailureCode[] = ['ENCRYPTED_PDF', 'WRONG_PASSWORD', 'ORIGINAL_DAMAGED', 'RESULT_DAMAGED'];

/** Runs previews and estimates of untrusted files. Owners take turns, so that nobody waits for all work of another owner. */
export function createBoundedWork(options: BoundedWorkOptions): BoundedWork {
  const { atOnce, inAll, waitingOfOwner, refusalMs, now, nouns } = { ...BOUNDS, ...options };
  const running = new Map<string, Promise<unknown>>();
  const refusals = new Map<string, { failure: Failure; until: number }>();
  const limiter = createFairLimiter({ atOnce, ofOwner: 1, waitingOfOwner, inAll });

  function remember(key: string, failure: Failure): void {
    if (refusals.size >= REFUSALS_KEPT) refusals.delete(refusals.keys().next().value!);
    refusals.set(key, { failure, until: now() + refusalMs });
  }

  return {
    async share<T>(key: string, owner: string, work: () => Promise<T>): Promise<T> {
      const shared = running.get(key);
      if (shared !== undefined) return (await shared) as T;
      const refusal = refusals.get(key);
      if (refusal !== undefined && refusal.until > now()) throw refusal.failure;
      refusals.delete(key);
      const done = limiter
        .run({ owner, refusal: () => tooMany(nouns) }, work)
        .catch((error: unknown) => {
          if (error instanceof Failure && !error.retryable && !MENDED_LATER.includes(error.code)) remember(key, error);
          throw error;
        })
        .finally(() => running.delete(key));
      running.set(key, done);
      return await done;
    },
  };
}

const tooMany = (nouns: string): Failure =>
  new Failure('RATE_LIMITED', {
    detail: `Too many ${nouns} were requested at once.`,
    retryAfterSeconds: 2,
  });
