import { setImmediate } from 'node:timers/promises';
import type { EnhancementProgress } from '../../domain/enhancement/enhancement.ts';
import type { ModelSet } from '../neural/model-set.ts';

/** How a caller watches and ends a piece of work. */
export interface Run {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: EnhancementProgress) => void) | undefined;
  /** Networks that images may be enlarged by; absent: interpolation */
  models?: ModelSet | undefined;
}

/** Yields to other events, reports the progress, and ends the work when it is cancelled. @throws the signal's reason */
export async function breathe({ signal, onProgress }: Run, progress?: EnhancementProgress): Promise<void> {
  if (progress) onProgress?.(progress);
  await setImmediate();
  signal?.throwIfAborted();
}

/** A part of a longer run: its progress fills the range `from` to `to`. */
export function partOf(run: Run, from: number, to: number): Run {
  const { onProgress } = run;
  if (!onProgress) return run;
  return { ...run, onProgress: ({ step, fraction }) => onProgress({ step, fraction: from + fraction * (to - from) }) };
}
