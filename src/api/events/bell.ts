/** A bell that waits for a ring, including one between `reset` and `rung`. */
export function createBell(stopped: AbortSignal): { ring(): void; reset(): void; rung(): Promise<void> } {
  let rang = false;
  let wake: (() => void) | undefined;
  const ring = (): void => {
    rang = true;
    wake?.();
  };
  stopped.addEventListener('abort', ring, { once: true });
  return {
    ring,
    reset: () => void (rang = stopped.aborted),
    rung: () => new Promise((resolve) => (rang ? resolve() : (wake = resolve))),
  };
}
