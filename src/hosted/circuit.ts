import { CallFailure, unavailable } from './call-failure.ts';

export interface CircuitOptions {
  now?: () => number;
  /** 0 up to 1; spreads the workers' probes */
  random?: () => number;
  /** Calls in a row without an answer that open it */
  threshold?: number;
  /** Milliseconds until the first probe; twice as many after each that fails */
  pauseMs?: number;
  maxPauseMs?: number;
  /** Called when it opens and when it closes again */
  onChange?: (state: 'open' | 'closed') => void;
}

/** Lets calls through while the service answers. */
export interface Circuit {
  run<T>(call: () => Promise<T>): Promise<T>;
  isOpen(): boolean;
}

/**
 * A circuit breaker: after some calls in a row without an answer, further calls fail at once with a time to retry,
 * which relieves workers and a starting service. Then one call probes the service; the others continue to fail
 * until it answers. Any answer, also a refusal, proves that the service is available.
 * @throws CallFailure PROVIDER_UNAVAILABLE with `retryAfterSeconds` while it is open
 */
export function createCircuit(options: CircuitOptions = {}): Circuit {
  const { now = Date.now, random = Math.random, threshold = 5, pauseMs = 10_000, maxPauseMs = 300_000 } = options;
  let failures = 0;
  let openings = 0;
  let openUntil = 0;
  let probing = false;

  function open(): void {
    const pause = Math.min(pauseMs * 2 ** openings, maxPauseMs);
    // Calls that were running when it opened have no further effect.
    if (openings > 0 && !probing) return;
    if (openings === 0) options.onChange?.('open');
    openings += 1;
    openUntil = now() + pause * (1 + random() / 5);
  }

  function close(): void {
    failures = 0;
    if (openings > 0) options.onChange?.('closed');
    openings = 0;
  }

  return {
    isOpen: () => openings > 0,
    async run(call) {
      const probe = openings > 0;
      if (probe) {
        const waitMs = probing ? pauseMs : openUntil - now();
        if (waitMs > 0) throw resting(waitMs);
        probing = true;
      }
      try {
        const result = await call();
        close();
        return result;
      } catch (error) {
        // The caller aborted any other call, which is no evidence about the service.
        if (error instanceof CallFailure) {
          if (error.answered) close();
          else if (probe || ++failures >= threshold) open();
        }
        throw error;
      } finally {
        if (probe) probing = false;
      }
    },
  };
}

function resting(waitMs: number): Error {
  return unavailable('The hosted service does not answer; it is tried again in a while.', {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}
