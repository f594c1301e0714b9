import type { Request, RequestHandler } from 'express';
import { Failure } from '@burnish/contract';
import type { ApiKeyHolder, ApiKeys } from '../../database/accounts/api-keys.ts';
import { readApiKey, getContext, readHeader } from './request-context.ts';
import { noteCaller } from './connection-limits.ts';
import { sendProblem } from './problem.ts';
import type { SessionCookie } from './session-cookie.ts';
import { within } from '../../process/within.ts';
import { refuseDatabase } from '../trouble/unavailable.ts';
import { isFromOwnPage, SESSION_HEADER } from './same-origin.ts';
import type { AccountChanges } from '../../database/accounts/account-changes.ts';

/**
 * Cache time in milliseconds of a valid key for reads. A polling client causes one database lookup a second; a
 * deleted key fails within this time in all processes.
 */
const RECENT_MS = 1_000;
const MAX_KNOWN = 1000;

export interface Callers {
  /**
   * The holder of a key in the current state of the database, read after this call.
   * @param address IP address of the request
   * @throws Failure ACCOUNT_SUSPENDED
   */
  find(key: string, address?: string): Promise<ApiKeyHolder | undefined>;
  /** The holder of a key, possibly from the cache: sufficient for a read, not for a change */
  findRecent(key: string, address?: string): Promise<ApiKeyHolder | undefined>;
  /** Clears the cache after a change of a key or a setting. */
  forget(): void;
}

/** @param now milliseconds of a monotonic clock */
export function createCallers(
  deps: { apiKeys: Pick<ApiKeys, 'authenticate'> },
  now: () => number = () => performance.now(),
): Callers {
  const known = new Map<string, { caller: Promise<ApiKeyHolder | undefined>; until: number }>();

  const find = sharedLooks(async (key: string, address?: string) => {
    const holder = await deps.apiKeys.authenticate(key, address);
    // Checked here, so that it applies to all kinds of credentials.
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
      // Concurrent requests share the same lookup.
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
 * Shares lookups between requests with the same key and address. Each lookup begins after its request: one runs at a
 * time, and the next one serves all requests that arrive meanwhile.
 */
function sharedLooks<T>(
  look: (key: string, address?: string) => Promise<T>,
): (key: string, address?: string) => Promise<T> {
  const lookups = new Map<string, { running: Promise<T>; next?: Promise<T> }>();
  return (key, address) => {
    const of = JSON.stringify([key, address]);
    const begin = (): Promise<T> => {
      const lookup: { running: Promise<T>; next?: Promise<T> } = { running: look(key, address) };
      lookups.set(of, lookup);
      const end = (): void => void (lookup.next === undefined && lookups.delete(of));
      lookup.running.then(end, end);
      return lookup.running;
    };
    const lookup = lookups.get(of);
    if (lookup === undefined) return begin();
    return (lookup.next ??= lookup.running.then(begin, begin));
  };
}

/** Changes of an account that clear the cache of callers. */
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

const OPERATORS_KEY =
  "This is the operator's key, which works below /v1/operator alone. Send an API key of an account, which `npx burnish keys create` prints.";

const MAX_KEY_LENGTH = 200;
/** Maximum time in milliseconds for the database to look up a caller. */
const DATABASE_WAIT_MS = 3_000;

export interface AuthenticateDeps {
  callers: Callers;
  /** Runs before the refusal of a request; refuses it with RATE_LIMITED after too many failures */
  onRefusal: RequestHandler;
  /** Tells the operator's key, which is no key of an account */
  operator: { isOperatorKey(text: string): boolean };
  /** Absent: API keys only */
  sessions?: SessionDeps;
}

export interface SessionDeps {
  /** By the token of the cookie */
  callers: Callers;
  cookie: SessionCookie;
  /** Base URL of the gateway for callers */
  publicUrl: string;
}

/**
 * Finds the account of the API key or, without one, of the session's cookie. Browsers send a cookie with every
 * request, so it is valid only for requests of the dashboard's own page. A change also needs a header that no other
 * page can send.
 * @param isRead says whether a request is a read, which may use a cached lookup
 * @throws Failure UNAUTHENTICATED
 */
export function authenticate(
  { callers, onRefusal, operator, sessions }: AuthenticateDeps,
  isRead: (req: Request) => boolean,
): RequestHandler {
  return async (req, res, next) => {
    const key = readApiKey(req);
    const token = key === undefined ? sessions?.cookie.read(req) : undefined;
    if (token !== undefined && !isOwnRequest(req, sessions!.publicUrl, isRead)) {
      const detail = 'Sessions are only for the dashboard. Send an API key instead.';
      sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail }), 403);
      return;
    }
    const [by, credential] = token === undefined ? [callers, key] : [sessions!.callers, token];
    const find = isRead(req) ? by.findRecent : by.find;
    let caller: ApiKeyHolder | undefined;
    try {
      if (credential !== undefined && mayBeCredential(credential)) {
        caller = await withinDatabaseWait(find(credential, req.ip));
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'ACCOUNT_SUSPENDED') throw error;
      await onRefusal(req, res, (earlier?: unknown) => next(earlier ?? error));
      return;
    }
    if (caller === undefined) {
      const detail = key !== undefined && operator.isOperatorKey(key) ? OPERATORS_KEY : undefined;
      const failure = new Failure('UNAUTHENTICATED', detail === undefined ? {} : { detail });
      await onRefusal(req, res, (error?: unknown) => next(error ?? failure));
      return;
    }
    const context = getContext(res);
    const address = req.ip ?? null;
    context.caller =
      token === undefined ? { ...caller, address } : { ...caller, address, viaSession: true, waits: true };
    noteCaller(req.socket, caller.account.id);
    context.isCallerGood = () => isGood(by, credential!);
    next();
  };
}

/** Whether a credential is still valid and its account is not suspended. */
async function isGood(callers: Callers, credential: string): Promise<boolean> {
  try {
    return (await callers.findRecent(credential)) !== undefined;
  } catch (error) {
    if (error instanceof Failure && error.code === 'ACCOUNT_SUSPENDED') return false;
    throw error;
  }
}

/** @throws Unavailable when the database does not respond in time */
export const withinDatabaseWait = <T>(look: Promise<T>): Promise<T> =>
  within<T>(DATABASE_WAIT_MS, refuseDatabase, look);

/**
 * Whether a request with a cookie comes from the dashboard's own page; a change needs a header that no other page can
 * send.
 */
export function isOwnRequest(req: Request, publicUrl: string, isRead: (req: Request) => boolean): boolean {
  return isFromOwnPage(req, publicUrl) && (isRead(req) || readHeader(req, SESSION_HEADER) !== undefined);
}

/** Keys are visible ASCII; other texts need no database lookup. */
export function mayBeCredential(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && /^[\x21-\x7e]+$/.test(text);
}
