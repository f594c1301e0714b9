import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Failure } from '@burnish/contract';
import { CHALLENGE, getContext, readHeader } from '../http/request-context.ts';
import { toHttpStatus, toFailure } from '../http/problem.ts';

const GRAPHQL_RESPONSE = 'application/graphql-response+json';
const JSON_TYPE = 'application/json';

/**
 * The media type of the response: the first of the two that the client accepts, and JSON by default. Clients of the
 * contract expect JSON with status 200; clients that accept the other type interpret its statuses.
 */
function answerType(accept: string | undefined): typeof GRAPHQL_RESPONSE | typeof JSON_TYPE {
  const named = (accept ?? '').toLowerCase().split(',');
  const first = named
    .map((each) => each.split(';')[0]!.trim())
    .find((each) => each === GRAPHQL_RESPONSE || each === JSON_TYPE);
  return first === GRAPHQL_RESPONSE ? GRAPHQL_RESPONSE : JSON_TYPE;
}

/** Reduces the `Accept` header to one media type, because the gateway has no GraphQL streams. */
export const negotiate: RequestHandler = (req, _res, next) => {
  req.headers.accept = answerType(readHeader(req, 'accept'));
  next();
};

export interface HttpRefusal {
  status: number;
  headers?: Record<string, string>;
}

const refusals = new WeakMap<Failure, HttpRefusal>();

/** A failure with a fixed HTTP status, regardless of the accepted media type. */
export function httpFailure(failure: Failure, refusal: HttpRefusal): Failure {
  refusals.set(failure, refusal);
  return failure;
}

/** Formats a refusal before GraphQL as a GraphQL response. */
export const graphqlErrorHandler: ErrorRequestHandler = async (error: unknown, req, res, next) => {
  const { log, requestId } = getContext(res);
  const failure = toFailure(error);
  if (res.headersSent) {
    next(error);
    return;
  }
  const refusal = refusals.get(failure);
  const type = answerType(readHeader(req, 'accept'));
  const status = refusal?.status ?? (type === GRAPHQL_RESPONSE ? toHttpStatus(failure) : 200);
  if (failure.code === 'INTERNAL') log.error({ err: failure.cause ?? failure }, 'request failed');
  if (failure.retryAfterSeconds !== undefined) res.set('Retry-After', String(failure.retryAfterSeconds));
  if (failure.code === 'UNAUTHENTICATED') res.set('WWW-Authenticate', CHALLENGE);
  // The rest of the body is not read.
  if (!req.complete) res.set('Connection', 'close');
  const { publicError } = await import('./errors.ts');
  const { message, extensions } = publicError(undefined, failure, requestId);
  const { http: _http, ...shown } = extensions;
  res
    .status(status)
    .set({ ...refusal?.headers, 'Cache-Control': 'no-store' })
    .type(type)
    .send(JSON.stringify({ errors: [{ message, extensions: shown }] }));
};
