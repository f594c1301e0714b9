import { Failure, type FailureCode } from '../../domain/failures.ts';

export interface BoundedWork {
  /**
   * Runs a piece of work in its turn. Equal requests share it while it waits or runs. A refusal is cached for a
   * while, so that a broken file is not opened again and again.
   * @param key identifies the result
   * @param owner each owner has a limited number of waiting pieces
   * @throws Failure RATE_LIMITED when too many wait; errors of the work
   */
  share<T>(key: string, owner: string, work: () => Promise<T>): Promise<T>;
}

export interface BoundedWorkOptions {
  /** Maximum number of running and waiting pieces, in total and for one owner */
  most: number;
  mostOfOwner: number;
  /** Cache time of a refusal in milliseconds */
  refusalMs: number;
  now: () => number;
}

const REFUSALS_KEPT = 500;
/** Refusals that are not cached, since the caller may send the password at any time. */
const MENDED_BY_PASSWORD: readonly FailureCode[] = ['ENCRYPTED_PDF', 'WRONG_PASSWORD'];

/** Runs work on untrusted files, one piece at a time. */
export function createBoundedWork({ most, mostOfOwner, refusalMs, now }: BoundedWorkOptions): BoundedWork {
  const running = new Map<string, Promise<unknown>>();
  const ofOwner = new Map<string, number>();
  const refusals = new Map<string, { failure: Failure; until: number }>();
  let last: Promise<unknown> = Promise.resolve();

  function enter(owner: string): void {
    const own = ofOwner.get(owner) ?? 0;
    if (running.size >= most || own >= mostOfOwner) {
      throw new Failure('RATE_LIMITED', {
        detail: 'Too many previews or estimates at once; try again soon.',
        retryAfterSeconds: 2,
      });
    }
    ofOwner.set(owner, own + 1);
  }

  function leave(key: string, owner: string): void {
    running.delete(key);
    const left = (ofOwner.get(owner) ?? 1) - 1;
    if (left > 0) ofOwner.set(owner, left);
    else ofOwner.delete(owner);
  }

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
      enter(owner);
      const turn = last.then(work);
      last = turn.catch(() => undefined);
      const done = turn
        .catch((error: unknown) => {
          if (error instanceof Failure && !error.retryable && !MENDED_BY_PASSWORD.includes(error.code))
            remember(key, error);
          throw error;
        })
        .finally(() => leave(key, owner));
      running.set(key, done);
      return await done;
    },
  };
}
