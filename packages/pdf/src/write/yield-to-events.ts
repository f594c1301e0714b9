import { setImmediate } from 'node:timers/promises';

/** Lets other events run, and throws when the caller has cancelled the work. @throws the signal's reason */
export async function yieldToEvents(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}
