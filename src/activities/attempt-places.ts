import { DELIVERY_TIMEOUT_MS } from '../domain/temporal/timeouts.ts';
import { createSharedPlaces, type SharedPlaces } from './shared-places.ts';

/**
 * Attempts that may run at once in a process. Each of five endpoints of an account, and the addresses of its uploads together,
 * can have its share.
 */
export const ATTEMPTS_AT_ONCE = { ofReceiver: 12, ofAccount: 72 } as const;

/** Maximum wait for a place, milliseconds. The receiver may answer again meanwhile. */
const LONGEST_WAIT_MS = 5 * 60_000;

/** The receiver of an attempt. */
export interface Receiver {
  accountId: string;
  /** Null: the address of an upload, which its host identifies */
  endpointId: string | null;
  url: string;
}

/** Places for attempts, so that a receiver that does not answer delays only its own events. */
export function createAttemptPlaces(): SharedPlaces<Receiver> {
  return createSharedPlaces<Receiver>({
    sharesOf: ({ accountId, endpointId, url }) => [
      { key: `${accountId} ${endpointId ?? new URL(url).host}`, limit: ATTEMPTS_AT_ONCE.ofReceiver },
      { key: accountId, limit: ATTEMPTS_AT_ONCE.ofAccount },
    ],
    // By then a place is certain to be free.
    heldMs: () => DELIVERY_TIMEOUT_MS,
    waitMs: { shortest: DELIVERY_TIMEOUT_MS / ATTEMPTS_AT_ONCE.ofReceiver, longest: LONGEST_WAIT_MS },
  });
}
