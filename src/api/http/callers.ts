import { Failure } from '../../domain/failures.ts';
import type { AccountChanges } from '../../database/accounts/account-changes.ts';
import type { ApiKeys, KeyHolder } from '../../database/accounts/api-keys.ts';

/**
 * How long a key that was found good is taken to be so by reads, in milliseconds. A client that polls pays for one look
 * into the database a second; a deleted key fails within this time, everywhere.
 */
const RECENT_MS = 1_000;
const MAX_KNOWN = 1000;

export interface Callers {
  /**
   * The holder of a key, as the database says now: no earlier than asked.
   * @param address IP address that it is used from
   * @throws Failure ACCOUNT_SUSPENDED
   */
  find(key: string, address?: string): Promise<KeyHolder | undefined>;
  /** As it said a moment ago: enough for a read, not for a change */
  findRecent(key: string, address?: string): Promise<KeyHolder | undefined>;
  /** Forgets everybody: a key or a setting has changed. */
  forget(): void;
}

/** @param now milliseconds of a clock that is never set back */
export function createCallers(
  deps: { apiKeys: Pick<ApiKeys, 'authenticate'> },
  now: () => number = () => performance.now(),
): Callers {
  const known = new Map<string, { caller: Promise<KeyHolder | undefined>; until: number }>();

  const find = sharedLooks(async (key: string, address?: string) => {
    const holder = await deps.apiKeys.authenticate(key, address);
    // Here, so that no way in can forget it.
    if (holder !== undefined && holder.account.suspendedAt !== null) throw new Failure('ACCOUNT_SUSPENDED');
    return holder;
  });

  return {
    find,
    async findRecent(key, address) {
      const entry = known.get(key);
      if (entry !== undefined && now() < entry.until) return await entry.caller;
      const caller = find(key, address);
      const fresh = { caller, until: now() + RECENT_MS };
      // Those that come meanwhile wait for the same look.
      known.delete(key);
      known.set(key, fresh);
      if (known.size > MAX_KNOWN) known.delete(known.keys().next().value!);
      const drop = (): void => void (known.get(key) === fresh && known.delete(key));
      try {
        const found = await caller;
        if (found === undefined) drop();
        return found;
      } catch (error) {
        drop();
        throw error;
      }
    },
    forget: () => known.clear(),
  };
}

/**
 * Shares lookups between requests that use the same key from the same address. Each lookup begins after it was asked for:
 * one runs at a time, and the next one serves all requests that arrive meanwhile.
 */
function sharedLooks<T>(
  look: (key: string, address?: string) => Promise<T>,
): (key: string, address?: string) => Promise<T> {
  const turns = new Map<string, { running: Promise<T>; next?: Promise<T> }>();
  return (key, address) => {
    const of = JSON.stringify([key, address]);
    const begin = (): Promise<T> => {
      const turn: { running: Promise<T>; next?: Promise<T> } = { running: look(key, address) };
      turns.set(of, turn);
      const end = (): void => void (turn.next === undefined && turns.delete(of));
      turn.running.then(end, end);
      return turn.running;
    };
    const turn = turns.get(of);
    if (turn === undefined) return begin();
    return (turn.next ??= turn.running.then(begin, begin));
  };
}

/** Changes of an account after which its callers are looked up again. */
export function forgettingCallers(changes: AccountChanges, ...callers: Pick<Callers, 'forget'>[]): AccountChanges {
  return {
    async carryOut(claim, change) {
      try {
        return await changes.carryOut(claim, change);
      } finally {
        for (const each of callers) each.forget();
      }
    },
  };
}
