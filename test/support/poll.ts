import { expect } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';

/** An idle machine shows the outcome at once; a busy one needs time. */
const TIMEOUT_MS = 20_000;
const INTERVAL_MS = 50;

export interface PollOptions {
  /** Milliseconds until the last attempt; 20 s by default */
  timeout?: number;
  /** Milliseconds between two attempts; 50 by default */
  interval?: number;
  /** Prefix of the failure's message */
  message?: string;
}

/** A matcher with the arguments of `expect`'s that waits. */
type Waiting<M> = M extends (...args: infer A) => unknown ? (...args: A) => Promise<void> : never;
type Matchers = ReturnType<typeof expect<unknown>>;
type Polled = { [K in Exclude<keyof Matchers, 'not' | 'resolves' | 'rejects'>]: Waiting<Matchers[K]> };

/**
 * Polls a value until a matcher passes: `await poll(() => page.title()).toBe('Uploads')`. `until` gives the value instead.
 * @returns the matchers of `expect`, and `not`; each rejects with the last failure after the timeout
 */
export function poll(read: () => unknown, options: PollOptions = {}): Polled & { not: Polled } {
  const { message, ...times } = options;
  const from = new Error('');
  const matchers = (negated: boolean): Polled =>
    new Proxy({} as Polled, {
      get: (_, name) => {
        if (name === 'not') return matchers(!negated);
        return async (...args: unknown[]) => {
          await eventually(async () => {
            const value = expect(await read());
            const matcher = Reflect.get(negated ? value.not : value, name) as (...args: unknown[]) => void;
            matcher(...args);
          }, times).catch((error: unknown) => {
            throw at(from, error, message);
          });
        };
      },
    });
  return matchers(false) as Polled & { not: Polled };
}

/** Repeats an attempt until it succeeds. @throws its last error after the timeout */
async function eventually(attempt: () => Promise<void>, options: Omit<PollOptions, 'message'>): Promise<void> {
  const { timeout = TIMEOUT_MS, interval = INTERVAL_MS } = options;
  for (const deadline = performance.now() + timeout; ; await delay(interval)) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() + interval >= deadline) throw error;
    }
  }
}

/** Gives the error the stack of the polling line, because the attempt ran in a later turn. */
function at(from: Error, error: unknown, message: string | undefined): unknown {
  if (!(error instanceof Error)) return error;
  if (message !== undefined) error.message = `${message}: ${error.message}`;
  error.stack = `${error.name}: ${error.message}\n${(from.stack ?? '').split('\n').slice(2).join('\n')}`;
  return error;
}
