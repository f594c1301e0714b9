import { MemoryStore, type Options } from 'express-rate-limit';
import { counted, Failure } from '@burnish/contract';

const WINDOW_MS = 60_000;

/** Counts a request of an owner. @throws Failure RATE_LIMITED with the seconds until its next one */
export type CountRequest = (owner: string) => Promise<void>;

/**
 * Limits the requests of one kind that an owner makes a minute.
 * @param noun of one request, such as `trial`
 */
export function createRequestCount(perMinute: number, noun: string): CountRequest {
  const store = new MemoryStore();
  store.init({ windowMs: WINDOW_MS } as Options);
  return async (owner) => {
    const { totalHits, resetTime } = await store.increment(owner);
    if (totalHits <= perMinute) return;
    const waitMs = resetTime === undefined ? WINDOW_MS : resetTime.getTime() - Date.now();
    throw new Failure('RATE_LIMITED', {
      detail: `An account has at most ${counted(perMinute, noun)} per minute.`,
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    });
  };
}
