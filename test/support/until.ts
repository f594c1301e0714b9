import { setTimeout as delay } from 'node:timers/promises';

export interface UntilOptions {
  /** Milliseconds between two questions; 50 by default */
  pauseMs?: number;
  /** Milliseconds until the wait fails; by default the time limit of the test ends it */
  withinMs?: number;
}

/**
 * Asks again until the answer is not undefined and holds. Waits in real time. `poll` waits for a matcher instead.
 * @throws any error of the question at once
 */
export async function until<T>(
  ask: () => Promise<T | undefined> | T | undefined,
  holds: (answer: T) => boolean = () => true,
  { pauseMs = 50, withinMs = Infinity }: UntilOptions = {},
): Promise<T> {
  for (const deadline = performance.now() + withinMs; ; await delay(pauseMs)) {
    const answer = await ask();
    if (answer !== undefined && holds(answer)) return answer;
    if (performance.now() > deadline)
      throw new Error(`The wait failed; the last answer was ${JSON.stringify(answer)}.`);
  }
}
