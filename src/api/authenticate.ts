import type { RequestHandler } from 'express';
import { Failure } from '../domain/failures.ts';
import type { Caller } from './commands/types.ts';
import type { Accounts, ApiKeys } from './ports.ts';
import { contextOf, headerOf } from './request-context.ts';

const MAX_KEY_LENGTH = 200;

/**
 * Finds the account of the `x-api-key` header.
 * @param deps.onRefusal runs before a request is refused, and may refuse it for having failed too often
 * @throws Failure UNAUTHENTICATED
 */
export function authenticate(deps: {
  apiKeys: ApiKeys;
  accounts: Accounts;
  onRefusal: RequestHandler;
}): RequestHandler {
  return async (req, res, next) => {
    const key = headerOf(req, 'x-api-key');
    const caller = key === undefined || !isKey(key) ? undefined : await callerBehind(deps, key);
    if (caller === undefined) {
      await deps.onRefusal(req, res, (error?: unknown) => next(error ?? new Failure('UNAUTHENTICATED')));
      return;
    }
    contextOf(res).caller = caller;
    next();
  };
}

/** Keys are visible ASCII; nothing else is worth a look into the database. */
function isKey(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && /^[\x21-\x7e]+$/.test(text);
}

async function callerBehind(deps: { apiKeys: ApiKeys; accounts: Accounts }, key: string): Promise<Caller | undefined> {
  const identity = await deps.apiKeys.authenticate(key);
  const account = identity && (await deps.accounts.get(identity.accountId));
  return identity && account && { account, keyId: identity.keyId };
}
