import { afterEach } from '@jest/globals';
import { useForFile } from '../support/use-for.ts';
import { startLifecycle, type Lifecycle, type LifecycleOptions } from './lifecycle.ts';

/**
 * One lifecycle for all tests of a file. It exists from the first hook on. After each test, the engine succeeds at once again, and
 * earlier problems are forgotten.
 */
export function useLifecycle(options: LifecycleOptions = {}): Lifecycle {
  const lifecycle = useForFile(() => startLifecycle(options));
  afterEach(() => {
    lifecycle.provider.script = {};
    lifecycle.problems.length = 0;
  });
  return lifecycle;
}
