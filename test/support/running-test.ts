import { afterEach } from '@jest/globals';
import type { Circus } from '@jest/types';

const waiting: (() => unknown)[] = [];

/** Runs a function after the test that registers it, passed or failed; the last one that was registered runs first. */
export function onTestFinished(work: () => unknown): void {
  waiting.push(work);
}

afterEach(async () => {
  const errors: unknown[] = [];
  for (let work = waiting.pop(); work !== undefined; work = waiting.pop()) {
    try {
      await work();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0)
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'Several clean-ups failed.');
});

/** For a hook after each test: whether the test that has just run failed. */
export function currentTestHasFailed(): boolean {
  // The test environment puts the state of jest-circus there.
  const state = Reflect.get(globalThis, Symbol.for('burnish.jest-state')) as Circus.State | undefined;
  return (state?.currentlyRunningTest?.errors.length ?? 0) > 0;
}
