import type { Failure } from '../../domain/failures.ts';

/**
 * The result of work that may take so long and no longer; the work itself goes on.
 * @param ms milliseconds
 * @throws what `late` makes when the time is over
 */
export async function within<T>(ms: number, late: () => Failure, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    // A process that is busy may have the result and not have read it yet: it is read first.
    timer = setTimeout(() => setImmediate(() => reject(late())), ms);
  });
  // When it fails later, nobody waits for it any more.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
