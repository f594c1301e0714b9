import { CallFailure, unavailable } from './call-failure.ts';

export interface CircuitOptions {
  now?: () => number;
  /** 0 up to 1; spreads the workers' probes */
  random?: () => number;
  /** Number of consecutive calls without an answer that open the circuit */
  threshold?: number;
  /** Milliseconds until the first probe; doubles after each failed probe */
  pauseMs?: number;
  maxPauseMs?: number;
  onChange?: (state: 'open' | 'closed') => void;
}

export interface Circuit {
  run<T>(call: () => Promise<T>): Promise<T>;
  isOpen(): boolean;
}

/**
 * A circuit breaker. After several consecutive calls without an answer, further calls fail at once with a time for the retry.
 * This relieves workers and a starting service. Then one call probes the service, and the others continue to fail until it
 * answers. Any answer, even a refusal, proves that the service is available.
 * @throws CallFailure PROVIDER_UNAVAILABLE with `retryAfterSeconds` while the circuit is open
 */
export function createCircuit(options: CircuitOptions = {}): Circuit {
  const { now = Date.now, random = Math.random, threshold = 5, pauseMs = 10_000, maxPauseMs = 300_000 } = options;
  let failures = 0;
  let openings = 0;
  let openUntil = 0;
  let probing = false;

  function open(): void {
    const pause = Math.min(pauseMs * 2 ** openings, maxPauseMs);
    // Calls that were running when the circuit opened have no further effect.
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
  return unavailable('The hosted service does not respond. Burnish retries later.', {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}
