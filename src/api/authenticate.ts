import type { Request, RequestHandler } from 'express';
import { Failure } from '../domain/failures.ts';
import type { Callers } from './callers.ts';
import { contextOf, headerOf } from './request-context.ts';

const MAX_KEY_LENGTH = 200;

export interface AuthenticateDeps {
  callers: Callers;
  /** Runs before a request is refused, and may refuse it for having failed too often */
  onRefusal: RequestHandler;
}

/**
 * Finds the account of the `x-api-key` header.
 * @param isRead says whether a request changes nothing, for which a key is good that was so a moment ago
 * @throws Failure UNAUTHENTICATED
 */
export function authenticate(
  { callers, onRefusal }: AuthenticateDeps,
  isRead: (req: Request) => boolean,
): RequestHandler {
  return async (req, res, next) => {
    const key = headerOf(req, 'x-api-key');
    const find = isRead(req) ? callers.findRecent : callers.find;
    const caller = key === undefined || !isKey(key) ? undefined : await find(key);
    if (caller === undefined) {
      await onRefusal(req, res, (error?: unknown) => next(error ?? new Failure('UNAUTHENTICATED')));
      return;
    }
    contextOf(res).caller = caller;
    next();
  };
}

export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Keys are visible ASCII; nothing else is worth a look into the database. */
function isKey(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && /^[\x21-\x7e]+$/.test(text);
}
