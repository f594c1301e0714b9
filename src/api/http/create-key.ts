import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { CreateKey } from '../commands/command-types.ts';
import { readIdempotencyKey } from './read-idempotency-key.ts';
import { contextOf, headerOf } from './request-context.ts';

/**
 * Returns the idempotency key with the answer to every upload request: the caller's own key, or a generated one. After a lost
 * answer, the same request with that key finds the upload.
 */
export const sayCreateKey: RequestHandler = (req, res, next) => {
  try {
    createKeyOf(req, res);
  } catch {
    // A malformed key is refused in its turn, after the API key.
  }
  next();
};

const CREATES = /^\/v1\/uploads(\/signed)?\/?$/;

/** Runs handlers, one after the other, for requests that make an upload, before the caller is authenticated. */
export function forCreates(first: RequestHandler, second: RequestHandler): RequestHandler {
  return (req, res, next) => {
    if (req.method !== 'POST' || !CREATES.test(req.path)) next();
    else first(req, res, (error?: unknown) => (error === undefined ? second(req, res, next) : next(error)));
  };
}

/** The key of a request that makes an upload. @throws Failure BAD_USER_INPUT when the header is malformed */
export function createKeyOf(req: Request, res: Response): CreateKey {
  const context = contextOf(res);
  if (context.createKey === undefined) {
    const given = readIdempotencyKey(headerOf(req, 'idempotency-key'));
    context.createKey = given === null ? { key: randomUUID(), made: true } : { key: given, made: false };
    res.setHeader('Idempotency-Key', context.createKey.key);
  }
  return context.createKey;
}
