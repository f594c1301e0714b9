import type { Failure } from '@burnish/contract';
import { Unavailable } from './unavailable.ts';

export interface PermitLimits {
  /** Maximum number of concurrent uploads of all accounts. One account has at most half of them. */
  uploadsAtOnce: number;
  /** Maximum time that an upload waits for a permit, in milliseconds */
  permitWaitMs: number;
}

/** A body that is still arriving from its sender. */
export interface ArrivingBody {
  /** Bytes a second so far; undefined once nothing more is awaited */
  rate(): number | undefined;
  /** Refuses the request and stops reading its body. */
  end(failure: Failure): void;
}

export interface Permits {
  /**
   * Acquires a permit for an upload of an account.
   * @param body may be ended for an account with fewer permits
   * @returns gives the permit back; further calls have no effect
   * @throws Failure UNAVAILABLE when the account or the gateway has no free permit in time
   */
  acquire(accountId: string, body?: ArrivingBody): Promise<() => void>;
}

/** One shared error, since there may be thousands: capturing a stack takes longer than the response. */
const FULL = new Unavailable('gateway');

const PREEMPTED_DETAIL =
  'Uploads of other accounts need the place of this slow upload. Send the file again, with fewer parallel uploads.';

interface Permit {
  body: ArrivingBody | undefined;
  release: () => void;
}

interface Account {
  held: Set<Permit>;
  /** First come, first served */
  waiting: Set<{ body: ArrivingBody | undefined; begin: (release: () => void) => void }>;
}

/**
 * Shares permits between the accounts that hold or await one. The share of each is as if one more account were there, so
 * a newcomer finds a free permit. If earlier uploads of others still hold them all, the slowest body of the account that
 * is furthest above its share ends for the newcomer.
 */
export function createPermits({ uploadsAtOnce, permitWaitMs }: PermitLimits): Permits {
  const accounts = new Map<string, Account>();
  let acquired = 0;

  const findShare = (): number => Math.max(1, Math.floor(uploadsAtOnce / (accounts.size + 1)));

  function end(account: Account, permit: Permit): boolean {
    if (!account.held.delete(permit)) return false;
    acquired -= 1;
    return true;
  }

  function hold(accountId: string, account: Account, body: ArrivingBody | undefined): () => void {
    const permit: Permit = {
      body,
      release() {
        if (!end(account, permit)) return;
        forgetIdle(accountId, account);
        admitWaiting();
      },
    };
    account.held.add(permit);
    acquired += 1;
    return permit.release;
  }

  function forgetIdle(accountId: string, { held, waiting }: Account): void {
    if (held.size === 0 && waiting.size === 0) accounts.delete(accountId);
  }

  /** Gives free permits to waiting uploads, first of the accounts with the fewest. */
  function admitWaiting(): void {
    while (acquired < uploadsAtOnce) {
      const share = findShare();
      const [next] = [...accounts]
        .filter(([, { held, waiting }]) => waiting.size > 0 && held.size < share)
        .toSorted(([, a], [, b]) => a.held.size - b.held.size);
      if (next === undefined) return;
      const [accountId, account] = next;
      const [first] = account.waiting;
      account.waiting.delete(first!);
      first!.begin(hold(accountId, account, first!.body));
    }
  }

  /** Ends the slowest body of an account above its share. @returns whether a permit became free */
  function makeRoom(): boolean {
    const share = findShare();
    const above = [...accounts.values()].filter(({ held }) => held.size > share);
    for (const account of above.toSorted((a, b) => b.held.size - a.held.size)) {
      const [slowest] = [...account.held]
        .map((permit) => ({ permit, rate: permit.body?.rate() }))
        .filter(({ rate }) => rate !== undefined)
        .toSorted((a, b) => a.rate! - b.rate!);
      if (slowest === undefined) continue;
      end(account, slowest.permit);
      slowest.permit.body!.end(new Unavailable('gateway', { detail: PREEMPTED_DETAIL }));
      return true;
    }
    return false;
  }

  function untilFree(accountId: string, account: Account, body: ArrivingBody | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        body,
        begin(release: () => void) {
          clearTimeout(timer);
          resolve(release);
        },
      };
      const timer = setTimeout(() => {
        account.waiting.delete(waiter);
        forgetIdle(accountId, account);
        admitWaiting();
        reject(FULL);
      }, permitWaitMs);
      account.waiting.add(waiter);
    });
  }

  return {
    async acquire(accountId, body) {
      const account = accounts.get(accountId) ?? { held: new Set(), waiting: new Set() };
      accounts.set(accountId, account);
      const share = findShare();
      if (account.held.size < share && (acquired < uploadsAtOnce || makeRoom())) return hold(accountId, account, body);
      // Further requests would not get their turn in time.
      if (account.waiting.size < share) return await untilFree(accountId, account, body);
      forgetIdle(accountId, account);
      throw FULL;
    },
  };
}
