import { JailError } from '../jail-error.ts';
import { MAX_THREADS } from '../limits.ts';
import { countThreads, memoryBytes } from './process-usage.ts';
import { watch } from './watch.ts';

const LOOK_EVERY_MS = 100;

/**
 * Watches a process and its descendants: together they use at most `limitBytes`, and no more threads than a task has.
 * @param end called once
 * @returns a function that stops the watch
 */
export function watchMemory(pid: number, limitBytes: number, end: (reason: Error) => void): () => void {
  const look = async (): Promise<Error | undefined> => {
    if ((await memoryBytes(pid)) > limitBytes) return new JailError('OUT_OF_MEMORY');
    return countThreads(pid) > MAX_THREADS ? new JailError('TOO_MANY_THREADS') : undefined;
  };
  return watch(LOOK_EVERY_MS, look, end, false);
}
