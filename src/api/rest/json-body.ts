import express, { type Request, type RequestHandler, type Response } from 'express';
import { Failure } from '../../domain/failures.ts';
import { printable } from '@burnish/engine/schemas';
import { hasBytes } from '../http/problem.ts';

/** Maximum size of a JSON body, in bytes. */
const JSON_BODY_BYTES = 256_000;

/** Longest part of a caller's Content-Type that an error repeats, in characters. */
const MAX_NAMED_TYPE = 100;

/** Reads a JSON body into `req.body`. Leaves a body of any other type unread. */
export const jsonBody = express.json({ limit: JSON_BODY_BYTES, inflate: false });

/** The same as a promise. @throws the refusals of `jsonBody` */
export function readJson(req: Request<object>, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    jsonBody(req as Request, res, (error?: Error) => (error === undefined ? resolve() : reject(error)));
  });
}

/**
 * The refusal of a body of another type than JSON, which would otherwise count as no body.
 * @param isNeeded whether the operation reads a body at all
 * @returns undefined for JSON, and for a request without bytes
 */
export function wrongBodyType(req: Request<object>, isNeeded = true): Failure | undefined {
  const type = req.headers['content-type'] ?? '';
  if (!hasBytes(req) || /^application\/json\s*(;|$)/i.test(type)) return undefined;
  const fault =
    type === ''
      ? 'The body has no Content-Type.'
      : `The Content-Type ${printable(type.slice(0, MAX_NAMED_TYPE))} is not supported here.`;
  const remedy = isNeeded ? 'Send JSON with the header Content-Type: application/json.' : 'Send no body.';
  return new Failure('UNSUPPORTED_MEDIA_TYPE', { field: 'Content-Type', detail: `${fault} ${remedy}` });
}

/** Refuses a body of another type than JSON. */
export const onlyJson: RequestHandler = (req, _res, next) => next(wrongBodyType(req));
