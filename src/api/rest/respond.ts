import express from 'express';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Listing } from '../../domain/representations/listing.ts';
import type { IdempotencyKey } from '../commands/command-types.ts';
import type { Page } from '../../database/page.ts';
import { readIdempotencyKey } from '../http/read-idempotency-key.ts';
import { headerOf } from '../http/request-context.ts';

/** The most that a JSON body may have, in bytes. */
export const JSON_BODY_BYTES = 256_000;

/** Reads the body of a request that has to be JSON. */
export const jsonBody = express.json({ limit: JSON_BODY_BYTES, inflate: false });

/** A change has been taken on: 202, with the address of the record and the record itself. */
export function accepted(res: Response, location: string, body: unknown): void {
  res.status(202).location(location).set('Cache-Control', 'no-store').json(body);
}

/** A change has been taken on and is done: 200, with the address of the record and the record itself. */
export function finished(res: Response, location: string, body: unknown): void {
  res.location(location);
  fresh(res, body);
}

/** A change has been made: 201, with the address of the record and the record itself. */
export function created(res: Response, location: string, body: unknown): void {
  res.status(201).location(location).set('Cache-Control', 'no-store').json(body);
}

/** A record is gone: 204. */
export function gone(res: Response): void {
  res.status(204).end();
}

/** A record or a report, which may be another one a moment later. */
export function fresh(res: Response, body: unknown): void {
  res.set('Cache-Control', 'no-store').json(body);
}

/** The `Idempotency-Key` header, or null. @throws Failure BAD_USER_INPUT when it is malformed */
export function idempotencyKeyOf(req: Request): IdempotencyKey {
  return readIdempotencyKey(headerOf(req, 'idempotency-key'));
}

/** A page of a list, with the address of the next one as a `Link` header too. */
export function page<Row, Body>(
  req: Request,
  res: Response,
  { items, nextCursor: next }: Page<Row>,
  represent: (row: Row) => Body,
): void {
  if (next !== null) {
    const query = new URLSearchParams({ ...(req.query as Record<string, string>), after: next });
    res.set('Link', `<${req.baseUrl}${req.path}?${query.toString()}>; rel="next"`);
  }
  const body: Listing<Body> = { items: items.map(represent), next };
  fresh(res, body);
}

/** A list that is never long enough for a second page. */
export const wholeList = <Row>(items: Row[]): Page<Row> => ({ items, nextCursor: null });

/** Checks an input against its schema. @throws ZodError, which becomes BAD_USER_INPUT with the field's path */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  return schema.parse(input);
}
