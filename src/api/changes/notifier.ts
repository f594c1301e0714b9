/** Wakes one waiter. A notification between `reset` and `notified` is not lost. */
export function createNotifier(stopped: AbortSignal): { notify(): void; reset(): void; notified(): Promise<void> } {
  let isNotified = false;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    isNotified = true;
    wake?.();
  };
  stopped.addEventListener('abort', notify, { once: true });
  return {
    notify,
    reset: () => void (isNotified = stopped.aborted),
    notified: () => new Promise((resolve) => (isNotified ? resolve() : (wake = resolve))),
  };
}
