import { Failure, type FailureCode } from '../../domain/failures.ts';

export interface BoundedWork {
  /**
   * Runs a piece of work in its turn. Equal requests share it while it waits or runs. A refusal is cached for a
   * while, so that a broken or slow file is not opened again and again.
   * @param key identifies the result
   * @param owner each owner has one running piece, and a limited number of waiting ones
   * @throws Failure RATE_LIMITED when too many wait; errors of the work
   */
  share<T>(key: string, owner: string, work: () => Promise<T>): Promise<T>;
}

export interface BoundedWorkOptions {
  /** Pieces that run at once, each of another owner */
  turns: number;
  /** Maximum number of running and waiting pieces of one owner */
  mostOfOwner?: number;
  /** The same of all owners together; each owner may always have one */
  most?: number;
  /** Cache time of a refusal in milliseconds */
  refusalMs?: number;
  now: () => number;
}

/** Enough for pages of 100 thumbnails in a few windows. A preview takes about 0.1 s, one of a large HEIC seconds. */
const BOUNDS = { most: 400, mostOfOwner: 200, refusalMs: 10 * 60_000 };

const REFUSALS_KEPT = 500;
/** Refusals that are not cached, since the caller may send the password, or the operator restore the file, at any time. */
const MENDED_LATER: readonly FailureCode[] = ['ENCRYPTED_PDF', 'WRONG_PASSWORD', 'ORIGINAL_DAMAGED', 'RESULT_DAMAGED'];

/** Runs previews and estimates of untrusted files. Owners take turns, so that nobody waits for all work of another owner. */
export function createBoundedWork(options: BoundedWorkOptions): BoundedWork {
  const { turns, most, mostOfOwner, refusalMs, now } = { ...BOUNDS, ...options };
  const running = new Map<string, Promise<unknown>>();
  const ofOwner = new Map<string, number>();
  const refusals = new Map<string, { failure: Failure; until: number }>();
  /** Waiting pieces of owners that wait or work; the owner that waits longest for a turn comes first */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  const working = new Set<string>();

  function enter(owner: string): void {
    const own = ofOwner.get(owner) ?? 0;
    if (own >= mostOfOwner || (own > 0 && running.size >= most)) {
      throw new Failure('RATE_LIMITED', {
        detail: 'Too many previews or estimates were requested at once.',
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

  function startNext(): void {
    for (const [owner, pieces] of waiting) {
      if (working.size >= turns) return;
      if (working.has(owner)) continue;
      const piece = pieces.shift()!;
      working.add(owner);
      void piece().finally(() => {
        working.delete(owner);
        // Its further pieces come after those of all that wait now.
        waiting.delete(owner);
        if (pieces.length > 0) waiting.set(owner, pieces);
        startNext();
      });
    }
  }

  /** Resolves with the result of the work, after its turn has come. */
  function inTurn<T>(owner: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const piece = (): Promise<void> => work().then(resolve, reject);
      const pieces = waiting.get(owner) ?? [];
      pieces.push(piece);
      waiting.set(owner, pieces);
      startNext();
    });
  }

  return {
    async share<T>(key: string, owner: string, work: () => Promise<T>): Promise<T> {
      const shared = running.get(key);
      if (shared !== undefined) return (await shared) as T;
      const refusal = refusals.get(key);
      if (refusal !== undefined && refusal.until > now()) throw refusal.failure;
      refusals.delete(key);
      enter(owner);
      const done = inTurn(owner, work)
        .catch((error: unknown) => {
          if (error instanceof Failure && !error.retryable && !MENDED_LATER.includes(error.code)) remember(key, error);
          throw error;
        })
        .finally(() => leave(key, owner));
      running.set(key, done);
      return await done;
    },
  };
}
