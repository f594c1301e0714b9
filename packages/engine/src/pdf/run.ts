import { setImmediate } from 'node:timers/promises';
import type { EnhancementProgress } from '@burnish/contract/engine';
import type { ModelSet } from '../neural/model-set.ts';

export interface Run {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: EnhancementProgress) => void) | undefined;
  models?: ModelSet | undefined;
}

/**
 * Yields to other events, reports the progress, and throws when the caller has cancelled the task. @throws the signal's
 * reason
 */
export async function yieldToEvents({ signal, onProgress }: Run, progress?: EnhancementProgress): Promise<void> {
  if (progress) onProgress?.(progress);
  await setImmediate();
  signal?.throwIfAborted();
}

export function createPartialRun(run: Run, from: number, to: number): Run {
  const { onProgress } = run;
  if (!onProgress) return run;
  return { ...run, onProgress: ({ step, fraction }) => onProgress({ step, fraction: from + fraction * (to - from) }) };
}
