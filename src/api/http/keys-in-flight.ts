import type { RequestHandler } from 'express';
import { Failure } from '../../domain/failures.ts';
import { isRead } from './authenticate.ts';
import { callerOf, contextOf, headerOf } from './request-context.ts';

/** Most requests finish within a second. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Refuses a change with an `Idempotency-Key` of a pending request at this gateway, with IDEMPOTENCY_KEY_IN_FLIGHT
 * (draft-ietf-httpapi-idempotency-key-header, section 2.6). The key is free again after the response or the end of
 * the connection. Equal requests at two gateways have one effect, and each gets its record.
 */
export function refuseKeysInFlight(): RequestHandler {
  const inFlight = new Set<string>();
  return (req, res, next) => {
    const header = headerOf(req, 'idempotency-key');
    if (header === undefined || isRead(req)) {
      next();
      return;
    }
    const name = JSON.stringify([callerOf(res).account.id, header]);
    if (inFlight.has(name)) {
      throw new Failure('IDEMPOTENCY_KEY_IN_FLIGHT', {
        field: 'Idempotency-Key',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    inFlight.add(name);
    let isHeld = true;
    const free = (): void => {
      if (isHeld) inFlight.delete(name);
      isHeld = false;
    };
    contextOf(res).freeKey = free;
    res.once('close', free);
    next();
  };
}
