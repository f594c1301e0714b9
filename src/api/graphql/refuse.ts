import type { ErrorRequestHandler } from 'express';
import type { Failure } from '../../domain/failures.ts';
import { httpStatusOf, toFailure } from '../http/problem.ts';
import { contextOf, headerOf } from '../http/request-context.ts';
import { publicError } from './errors.ts';
import { answerType, GRAPHQL_RESPONSE } from './media-type.ts';

/** A request that HTTP refuses: it never was one for GraphQL. */
export interface HttpRefusal {
  status: number;
  headers?: Record<string, string>;
}

const refusals = new WeakMap<Failure, HttpRefusal>();

/** A failure that has a status of its own, whatever the client accepts. */
export function httpFailure(failure: Failure, refusal: HttpRefusal): Failure {
  refusals.set(failure, refusal);
  return failure;
}

/** Answers what was refused before GraphQL saw it, in the shape of GraphQL. */
export const graphqlErrorHandler: ErrorRequestHandler = (error: unknown, req, res, next) => {
  const { log, requestId } = contextOf(res);
  const failure = toFailure(error);
  if (res.headersSent) {
    next(error);
    return;
  }
  const refusal = refusals.get(failure) ?? bodyRefusal(error);
  const type = answerType(headerOf(req, 'accept'));
  const status = refusal?.status ?? (type === GRAPHQL_RESPONSE ? httpStatusOf(failure) : 200);
  if (failure.code === 'INTERNAL') log.error({ err: failure.cause ?? failure }, 'request failed');
  if (failure.retryAfterSeconds !== undefined) res.set('Retry-After', String(failure.retryAfterSeconds));
  if (failure.code === 'UNAUTHENTICATED') res.set('WWW-Authenticate', 'ApiKey realm="burnish", header="x-api-key"');
  // What is left of a body is not read.
  if (!req.complete) res.set('Connection', 'close');
  const { message, extensions } = publicError(undefined, failure, requestId);
  const { http: _http, ...shown } = extensions;
  res
    .status(status)
    .set({ ...refusal?.headers, 'Cache-Control': 'no-store' })
    .type(type)
    .send(JSON.stringify({ errors: [{ message, extensions: shown }] }));
};

/** A body that is too large, not JSON or compressed is no GraphQL request, for no client. */
function bodyRefusal(error: unknown): HttpRefusal | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? { status } : undefined;
}
