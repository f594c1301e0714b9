import { setTimeout as sleep } from 'node:timers/promises';

/** Outcomes that are kept until somebody asks for them. */
const MAX_KEPT = 1_000;

/**
 * Work that may outlast its request. Equal requests share it. A request gets the result, the error, or undefined after some
 * time; then the work continues, and the next request for the same key gets its outcome.
 */
export function createAwaitedWork(waitMs: number) {
  const pieces = new Map<string, Promise<unknown>>();

  return async function awaited<T>(key: string, work: () => Promise<T>): Promise<T | undefined> {
    let piece = pieces.get(key) as Promise<T> | undefined;
    if (piece === undefined) {
      if (pieces.size >= MAX_KEPT) pieces.delete(pieces.keys().next().value!);
      piece = work();
      // The next request gets the error.
      piece.catch(() => undefined);
      pieces.set(key, piece);
    }
    const waiting = new AbortController();
    const late = sleep(waitMs, 'late' as const, { signal: waiting.signal }).catch(() => 'late' as const);
    try {
      const outcome = await Promise.race([piece.then((value) => ({ value })), late]);
      if (outcome === 'late') return undefined;
      pieces.delete(key);
      return outcome.value;
    } catch (error) {
      pieces.delete(key);
      throw error;
    } finally {
      waiting.abort();
    }
  };
}
