import type { RequestHandler } from 'express';
import { Failure } from '../../domain/failures.ts';
import { callerOf } from '../http/request-context.ts';
import { assertScope, scopeOf } from '../scopes.ts';
import type { describedAddresses } from './described-addresses.ts';

/**
 * Lets requests through whose key has the scope of their operation. What is not described has no scope, and is not there.
 * @throws Failure FORBIDDEN, NOT_FOUND
 */
export function demandScope(addressOf: ReturnType<typeof describedAddresses>): RequestHandler {
  return (req, res, next) => {
    const operationId = addressOf(req.baseUrl + req.path)?.operationIds.get(req.method);
    if (operationId === undefined) throw new Failure('NOT_FOUND', { detail: 'There is nothing at this address.' });
    assertScope(callerOf(res), scopeOf('REST', operationId));
    next();
  };
}
