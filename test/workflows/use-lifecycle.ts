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
    // Both are missing after a failed start, and its error says why.
    const { provider, problems } = lifecycle as Partial<Lifecycle>;
    if (provider !== undefined) provider.script = {};
    problems?.splice(0);
  });
  return lifecycle;
}
