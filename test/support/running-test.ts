import { afterEach } from '@jest/globals';
import type { Circus } from '@jest/types';

const waiting: (() => unknown)[] = [];

/** Runs a function after the test that registers it, passed or failed. Functions run in reverse order of registration. */
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

/** For a hook after each test: whether the current test has failed. */
export function currentTestHasFailed(): boolean {
  // The test environment stores the state of jest-circus here.
  const state = Reflect.get(globalThis, Symbol.for('burnish.jest-state')) as Circus.State | undefined;
  return (state?.currentlyRunningTest?.errors.length ?? 0) > 0;
}
