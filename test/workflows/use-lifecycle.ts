import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { startLifecycle, type Lifecycle, type LifecycleOptions } from './lifecycle.ts';

/**
 * One lifecycle for all tests of a file. It exists from the first hook on. After each test, the engine succeeds at once again, and
 * earlier problems are forgotten.
 */
export function useLifecycle(options: LifecycleOptions = {}): Lifecycle {
  const lifecycle = {} as Lifecycle;
  beforeAll(async () => {
    Object.assign(lifecycle, await startLifecycle(options));
  });
  afterEach(() => {
    lifecycle.provider.script = {};
    lifecycle.problems.length = 0;
  });
  // It is empty if its start failed.
  afterAll(() => (lifecycle as Partial<Lifecycle>)[Symbol.asyncDispose]?.());
  return lifecycle;
}
