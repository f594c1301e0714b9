import { setTimeout as delay } from 'node:timers/promises';

/** Asks again until the answer is there. The test's own time limit is what ends it. */
export async function until<T>(ask: () => Promise<T | undefined> | T | undefined, pauseMs = 50): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await delay(pauseMs);
  }
}
