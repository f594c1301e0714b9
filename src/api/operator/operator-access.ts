import { timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { OPERATOR, Failure } from '@burnish/contract';
import { hashApiKey } from '../../database/accounts/api-keys.ts';
import type { OperatorSessions } from '../../database/accounts/operator-sessions.ts';
import { readApiKey, getContext, isRead } from '../http/request-context.ts';
import { isOwnRequest, withinDatabaseWait } from '../http/authenticate.ts';
import { noteCaller } from '../http/connection-limits.ts';
import type { SessionCookie } from '../http/session-cookie.ts';

/** Longer input is never a valid key and is not hashed. */
const MAX_KEY_LENGTH = 256;

export interface OperatorAccess {
  isOperatorKey(text: string): boolean;
  /** Opens a session of the operator's key. @returns the token for the cookie */
  openSession(): Promise<string>;
  isSession(token: string): Promise<boolean>;
  closeSession(token: string): Promise<void>;
}

export function createOperatorAccess(operatorKey: string, sessions: OperatorSessions): OperatorAccess {
  const keyHash = hashApiKey(operatorKey);
  const expected = Buffer.from(keyHash, 'hex');
  return {
    isOperatorKey: (text) =>
      text.length <= MAX_KEY_LENGTH && timingSafeEqual(Buffer.from(hashApiKey(text), 'hex'), expected),
    openSession: () => sessions.open(keyHash),
    isSession: (token) => sessions.isGood(token, keyHash),
    closeSession: (token) => sessions.close(token),
  };
}

export interface OperatorAuthentication {
  operator: OperatorAccess;
  cookie: SessionCookie;
  /** Base URL of the gateway for callers */
  publicUrl: string;
  /** Runs before the refusal of a request; refuses it with RATE_LIMITED after too many failures */
  onRefusal: RequestHandler;
}

/**
 * Accepts requests with the operator's key or the operator's session at the dashboard. Keys of accounts are refused,
 * even with all scopes.
 * @throws Failure UNAUTHENTICATED
 */
export function authenticateOperator(deps: OperatorAuthentication): RequestHandler {
  const { operator, cookie, publicUrl, onRefusal } = deps;
  const isSession = async (req: Request, token: string): Promise<boolean> =>
    isOwnRequest(req, publicUrl, isRead) && (await withinDatabaseWait(operator.isSession(token)));
  return async (req, res, next) => {
    const key = readApiKey(req);
    const token = key === undefined ? cookie.read(req) : undefined;
    if (key === undefined ? token !== undefined && (await isSession(req, token)) : operator.isOperatorKey(key)) {
      noteCaller(req.socket, OPERATOR.actor);
      getContext(res).operator = { ...OPERATOR, address: req.ip ?? null };
      next();
      return;
    }
    const detail =
      "This operation needs the operator's key, and no key of an account. Send it in the header x-api-key.";
    await onRefusal(req, res, (error?: unknown) => next(error ?? new Failure('UNAUTHENTICATED', { detail })));
  };
}
