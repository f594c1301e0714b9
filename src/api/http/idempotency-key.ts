import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { Failure } from '../../domain/failures.ts';
import type { CreateKey, IdempotencyKey } from '../commands/command-types.ts';
import { idempotencyKey } from '../schemas/fields.ts';
import { contextOf, headerOf } from './request-context.ts';

/**
 * Reads an `Idempotency-Key` header.
 * @param header undefined where the request has none: each repetition then changes something again
 * @throws Failure BAD_USER_INPUT that names the header
 */
export function readIdempotencyKey(header: string | undefined): IdempotencyKey {
  if (header === undefined) return null;
  const { success, data } = idempotencyKey.safeParse(header);
  if (success) return data;
  const detail = 'Expected an Idempotency-Key of 1 to 255 visible ASCII characters.';
  throw new Failure('BAD_USER_INPUT', { field: 'Idempotency-Key', detail });
}

/** The `Idempotency-Key` of a request, or null. @throws Failure BAD_USER_INPUT when it is malformed */
export function idempotencyKeyOf(req: Request<object>): IdempotencyKey {
  return readIdempotencyKey(headerOf(req, 'idempotency-key'));
}

/**
 * The key of a request that creates an upload: the caller's own, or a generated one. The answer names it.
 * @throws Failure BAD_USER_INPUT when the header is malformed
 */
export function createKeyOf(req: Request<object>, res: Response): CreateKey {
  const context = contextOf(res);
  if (context.createKey === undefined) {
    const given = idempotencyKeyOf(req);
    context.createKey = given === null ? { key: randomUUID(), made: true } : { key: given, made: false };
    res.setHeader('Idempotency-Key', context.createKey.key);
  }
  return context.createKey;
}

/**
 * Returns the idempotency key with every answer to a request that creates an upload, refusals included. After a lost answer,
 * the same request with that key finds the upload.
 */
export const returnCreateKey: RequestHandler = (req, res, next) => {
  try {
    createKeyOf(req, res);
  } catch {
    // The operation refuses a malformed key itself, after the API key has been checked.
  }
  next();
};
