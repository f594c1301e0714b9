import type { Request, Response } from 'express';
import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Page } from '../../database/page.ts';
import { sharedHeaders } from './shared-headers.ts';

/** What an answer shows, and how the handler's value has it: a record, one beside its address, a page or a list of them, or nothing. */
export type Content = { kind: 'record' | 'located' | 'page' | 'list'; schema: z.ZodType } | { kind: 'nothing' };

/** The success response of an operation: its OpenAPI description, and its serialization of the handler's value. */
export interface Answer<Value> {
  responses: ZodOpenApiResponsesObject;
  /** Absent: only HTTP can carry it */
  content?: Content;
  send: (req: Request<object>, res: Response, value: Value) => void | Promise<void>;
}

export interface Located<Body> {
  /** Path of the record, such as `/v1/uploads/upl_…` */
  location: string;
  body: Body;
}

const rateHeaders = sharedHeaders('X-Request-Id', 'RateLimit-Policy', 'RateLimit');
const locationHeader = sharedHeaders('Location');
const replayedHeader = sharedHeaders('Idempotent-Replayed');
const next = z
  .string()
  .nullable()
  .meta({ description: 'Send it as `after` for the next page; null on the last page.' });
const PAGE = 'A page. The header `Link` contains the URL of the next page.';

const json = (description: string, schema: z.ZodType): ZodOpenApiResponseObject => ({
  description,
  headers: rateHeaders,
  content: { 'application/json': { schema } },
});

/** 200 with a record or a report. */
export function ok<Schema extends z.ZodType>(description: string, schema: Schema): Answer<z.input<Schema>> {
  return {
    responses: { '200': json(description, schema) },
    content: { kind: 'record', schema },
    send: (_req, res, value) => sendJson(res, value),
  };
}

/** 201 with `Location`: the change has been made. */
export function created<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
): Answer<Located<z.input<Schema>>> {
  return located(201, description, schema);
}

/** 202 with `Location`: the change is accepted and will be made later. */
export function accepted<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
): Answer<Located<z.input<Schema>>> {
  return located(202, description, schema);
}

function located<Schema extends z.ZodType>(
  status: number,
  description: string,
  schema: Schema,
): Answer<Located<z.input<Schema>>> {
  const response = { ...json(description, schema), headers: { ...rateHeaders, ...locationHeader } };
  return {
    responses: { [status]: response },
    content: { kind: 'located', schema },
    send: (_req, res, { location, body }) => sendJson(res.location(location), body, status),
  };
}

/** A record with its address, and whether the work on it has ended. */
export interface AwaitedRecord<Body> extends Located<Body> {
  finished: boolean;
}

/** 202 like `accepted`; with `Prefer: wait`, 200 with the finished record. @param finished description of the latter */
export function acceptedOrFinished<Schema extends z.ZodType>(
  description: string,
  finished: string,
  schema: Schema,
): Answer<AwaitedRecord<z.input<Schema>>> {
  const headers = { ...rateHeaders, ...locationHeader, ...sharedHeaders('Preference-Applied') };
  return {
    responses: { '200': { ...json(finished, schema), headers }, '202': { ...json(description, schema), headers } },
    send: (_req, res, { location, body, finished }) => sendJson(res.location(location), body, finished ? 200 : 202),
  };
}

/** 204: the record no longer exists. */
export function noContent(description: string): Answer<void> {
  return {
    responses: { '204': { description, headers: rateHeaders } },
    content: { kind: 'nothing' },
    send: (_req, res) => sendNoContent(res),
  };
}

/** A page of a list. The `Link` header contains the next one. */
export function page<Schema extends z.ZodType>(item: Schema): Answer<Page<z.input<Schema>>> {
  return {
    responses: { '200': json(PAGE, z.object({ items: z.array(item), next })) },
    content: { kind: 'page', schema: item },
    send: (req, res, { items, nextCursor }) => {
      linkNext(req, res, nextCursor);
      sendJson(res, { items, next: nextCursor });
    },
  };
}

/** A page of a list with the number of all its items. */
export function countedPage<Schema extends z.ZodType>(
  description: string,
  item: Schema,
): Answer<Page<z.input<Schema>> & { total: number }> {
  const schema = z.object({ items: z.array(item), next, total: z.number().int() });
  return {
    responses: { '200': json(description, schema) },
    send: (req, res, { items, nextCursor, total }) => {
      linkNext(req, res, nextCursor);
      sendJson(res, { items, next: nextCursor, total });
    },
  };
}

/** A list that never needs a second page. */
export function wholeList<Schema extends z.ZodType>(item: Schema, order = 'oldest first'): Answer<z.input<Schema>[]> {
  return {
    responses: { '200': json(`All items, ${order}.`, z.object({ items: z.array(item), next })) },
    content: { kind: 'list', schema: item },
    send: (_req, res, items) => sendJson(res, { items, next: null }),
  };
}

/** The responses of a change with an `Idempotency-Key`, which tell a repetition. */
export function tellingReplays(responses: ZodOpenApiResponsesObject): ZodOpenApiResponsesObject {
  const entries = Object.entries(responses as Record<string, ZodOpenApiResponseObject>);
  return Object.fromEntries(
    entries.map(([status, response]) => [status, { ...response, headers: { ...response.headers, ...replayedHeader } }]),
  );
}

/** A response that the handler sends itself, such as a stream. */
export function sentByHandler(responses: ZodOpenApiResponsesObject): Answer<void> {
  return { responses, send: () => undefined };
}

function linkNext(req: Request<object>, res: Response, cursor: string | null): void {
  if (cursor === null) return;
  const query = new URLSearchParams({ ...(req.query as Record<string, string>), after: cursor });
  res.set('Link', `<${req.baseUrl}${req.path}?${query.toString()}>; rel="next"`);
}

/** Sends a record or a report, not cacheable, because it can change at any time. */
export function sendJson(res: Response, body: unknown, status = 200): void {
  res.status(status).set('Cache-Control', 'no-store').json(body);
}

/** Sends 204. */
export function sendNoContent(res: Response): void {
  res.status(204).end();
}
