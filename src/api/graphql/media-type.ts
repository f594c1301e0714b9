import type { RequestHandler } from 'express';
import { headerOf } from '../http/request-context.ts';

export const GRAPHQL_RESPONSE = 'application/graphql-response+json';
const JSON_TYPE = 'application/json';

/**
 * The media type of the answer: the first of the two that the client names, and JSON for whoever names none. Clients of
 * the contract expect JSON with status 200; those that name the other know what its statuses mean.
 */
export function answerType(accept: string | undefined): typeof GRAPHQL_RESPONSE | typeof JSON_TYPE {
  const named = (accept ?? '').toLowerCase().split(',');
  const first = named
    .map((each) => each.split(';')[0]!.trim())
    .find((each) => each === GRAPHQL_RESPONSE || each === JSON_TYPE);
  return first === GRAPHQL_RESPONSE ? GRAPHQL_RESPONSE : JSON_TYPE;
}

/** Leaves one media type to choose from: there are no streams here. */
export const negotiate: RequestHandler = (req, _res, next) => {
  req.headers.accept = answerType(headerOf(req, 'accept'));
  next();
};
