import { DELIVERY_TIMEOUT_MS } from '../domain/temporal/timeouts.ts';

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

export interface AttemptPlaces {
  /** Takes a place. @returns how to leave it; undefined if the receiver or its account has all of its places */
  take(receiver: Receiver): (() => void) | undefined;
  /**
   * Reserves a turn after a refusal. Turns are as far apart as places are certain to become free.
   * @returns milliseconds from now
   */
  reserve(receiver: Receiver): number;
}

interface Share {
  key: string;
  limit: number;
}

interface Use {
  taken: number;
  /** The last reserved turn, milliseconds since the epoch */
  lastTurnAt: number;
}

/** Bounds the attempts that run at once, so that a receiver that does not answer delays only its own events. */
export function createAttemptPlaces(now: () => number = Date.now): AttemptPlaces {
  const uses = new Map<string, Use>();

  const sharesOf = ({ accountId, endpointId, url }: Receiver): Share[] => [
    { key: `${accountId} ${endpointId ?? new URL(url).host}`, limit: ATTEMPTS_AT_ONCE.ofReceiver },
    { key: accountId, limit: ATTEMPTS_AT_ONCE.ofAccount },
  ];
  const isFull = ({ key, limit }: Share): boolean => (uses.get(key)?.taken ?? 0) >= limit;

  function leave({ key }: Share): void {
    const use = uses.get(key)!;
    use.taken -= 1;
    if (use.taken === 0) uses.delete(key);
  }

  return {
    take(receiver) {
      const shares = sharesOf(receiver);
      if (shares.some(isFull)) return undefined;
      for (const { key } of shares) {
        const use = uses.get(key) ?? { taken: 0, lastTurnAt: 0 };
        uses.set(key, { ...use, taken: use.taken + 1 });
      }
      return () => shares.forEach(leave);
    },

    reserve(receiver) {
      const waits = sharesOf(receiver)
        .filter(isFull)
        .map(({ key, limit }) => {
          const use = uses.get(key)!;
          use.lastTurnAt = Math.max(now(), use.lastTurnAt) + DELIVERY_TIMEOUT_MS / limit;
          return use.lastTurnAt - now();
        });
      return Math.min(LONGEST_WAIT_MS, Math.max(DELIVERY_TIMEOUT_MS / ATTEMPTS_AT_ONCE.ofReceiver, ...waits));
    },
  };
}
