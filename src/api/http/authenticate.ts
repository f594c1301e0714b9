import type { Request, RequestHandler } from 'express';
import { Failure } from '../../domain/failures.ts';
import type { KeyHolder } from '../../database/accounts/api-keys.ts';
import { apiKeyOf } from './api-key-of.ts';
import type { Callers } from './callers.ts';
import { sendProblem } from './problem.ts';
import { contextOf, headerOf } from './request-context.ts';
import type { SessionCookie } from '../sessions/session-cookie.ts';
import { Unavailable, within } from '../trouble/unavailable.ts';
import { isFromOwnPage, SESSION_HEADER } from '../sessions/same-origin.ts';

const MAX_KEY_LENGTH = 200;
/** Longest wait for the database to look up a caller, milliseconds. */
const DATABASE_WAIT_MS = 3_000;

export interface AuthenticateDeps {
  callers: Callers;
  /** Runs before a request is refused, and may refuse it for having failed too often */
  onRefusal: RequestHandler;
  /** Absent: API keys only */
  sessions?: SessionDeps;
}

export interface SessionDeps {
  /** By the token of the cookie */
  callers: Callers;
  cookie: SessionCookie;
  /** Where callers reach the gateway */
  publicUrl: string;
}

/**
 * Finds the account of the API key or, without one, of the session's cookie. A cookie comes along with whatever a
 * browser sends, so it counts only for our own page, and for a change only with a header that no other page can send.
 * @param isRead says whether a request changes nothing, for which a key is good that was so a moment ago
 * @throws Failure UNAUTHENTICATED
 */
export function authenticate(
  { callers, onRefusal, sessions }: AuthenticateDeps,
  isRead: (req: Request) => boolean,
): RequestHandler {
  return async (req, res, next) => {
    const key = apiKeyOf(req);
    const token = key === undefined ? sessions?.cookie.read(req) : undefined;
    if (token !== undefined && !isOwnRequest(req, sessions!.publicUrl, isRead)) {
      const detail = 'A session is good for requests of the dashboard only; send an API key instead.';
      sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail }), 403);
      return;
    }
    const [by, credential] = token === undefined ? [callers, key] : [sessions!.callers, token];
    const find = isRead(req) ? by.findRecent : by.find;
    let caller: KeyHolder | undefined;
    try {
      if (credential !== undefined && isKey(credential)) {
        caller = await withinDatabaseWait(find(credential, req.ip));
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'ACCOUNT_SUSPENDED') throw error;
      await onRefusal(req, res, (earlier?: unknown) => next(earlier ?? error));
      return;
    }
    if (caller === undefined) {
      await onRefusal(req, res, (error?: unknown) => next(error ?? new Failure('UNAUTHENTICATED')));
      return;
    }
    const context = contextOf(res);
    const address = req.ip ?? null;
    context.caller =
      token === undefined ? { ...caller, address } : { ...caller, address, viaSession: true, waits: true };
    context.isCallerGood = () => isGood(by, credential!);
    next();
  };
}

/** Whether a credential still is one, and its account is not suspended. */
async function isGood(callers: Callers, credential: string): Promise<boolean> {
  try {
    return (await callers.findRecent(credential)) !== undefined;
  } catch (error) {
    if (error instanceof Failure && error.code === 'ACCOUNT_SUSPENDED') return false;
    throw error;
  }
}

/** @throws Unavailable when the database does not answer in time */
export const withinDatabaseWait = <T>(look: Promise<T>): Promise<T> =>
  within(DATABASE_WAIT_MS, () => new Unavailable('database'), look);

export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Whether a request on the strength of a cookie comes from our own page; a change needs a header that no other page can send. */
export function isOwnRequest(req: Request, publicUrl: string, isRead: (req: Request) => boolean): boolean {
  return isFromOwnPage(req, publicUrl) && (isRead(req) || headerOf(req, SESSION_HEADER) !== undefined);
}

/** Keys are visible ASCII; nothing else is worth a look into the database. */
export function isKey(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && /^[\x21-\x7e]+$/.test(text);
}
