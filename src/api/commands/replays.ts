import { AsyncLocalStorage } from 'node:async_hooks';

/** What the running request does when it repeats an earlier one. Commands do not know their response. */
const listeners = new AsyncLocalStorage<() => void>();

/** Runs a request. @param onReplay called when its idempotency key belongs to an equal earlier request */
export const watchReplays = (onReplay: () => void, work: () => void): void => listeners.run(onReplay, work);

/** Says that the running request repeats an earlier one. */
export const noteReplay = (): void => listeners.getStore()?.();
