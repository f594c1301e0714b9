import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { Failure, FAILURES } from '@burnish/contract';
import { BodyTooLarge } from '../http/read-body.ts';
import { readJson, wrongBodyType } from '../rest/json-body.ts';
import type { GraphqlDeps } from './context.ts';
import { graphqlErrorHandler, httpFailure, negotiate } from './refuse.ts';
import type { createGraphqlServer as CreateServer } from './yoga.ts';

/**
 * `POST /graphql`, only with a JSON body: a page of another site cannot send that without a preflight request.
 * @param loadSchema at the first request
 * @param authenticated handlers that authenticate the caller and apply the rate limit
 */
export function graphqlRoutes(
  deps: GraphqlDeps,
  loadSchema: () => Promise<{ schema: GraphQLSchema }>,
  authenticated: RequestHandler[],
): Router {
  // A fifth of the code that a gateway would load at its start.
  let server: ReturnType<typeof CreateServer> | undefined;
  const router = Router();
  router.all('/graphql', negotiate, onlyPost, onlyJson);
  router.post('/graphql', authenticated, readRequest, oneRequest, async (req: Request, res: Response) => {
    res.set('Cache-Control', 'no-store');
    const [{ createGraphqlServer }, { schema }] = await Promise.all([import('./yoga.ts'), loadSchema()]);
    server ??= createGraphqlServer(deps, schema);
    await server(req, res);
  });
  router.use('/graphql', graphqlErrorHandler);
  return router;
}

const onlyPost: RequestHandler = (req, _res, next) => {
  const detail = 'GraphQL takes POST requests alone. Send one, or open /graphiql for the schema browser.';
  const failure = new Failure('BAD_USER_INPUT', { detail });
  next(req.method === 'POST' ? undefined : httpFailure(failure, { status: 405, headers: { Allow: 'POST' } }));
};

const onlyJson: RequestHandler = (req, _res, next) => {
  const failure = wrongBodyType(req);
  next(failure && httpFailure(failure, { status: 415 }));
};

/** Reads the body. One that is too large, not JSON or compressed is refused with its status, whatever the client accepts. */
const readRequest: RequestHandler = async (req, _res, next) => {
  await readJson(req).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    throw httpFailure(error, { status: error instanceof BodyTooLarge ? 413 : FAILURES[error.code].httpStatus });
  });
  next();
};

/** Refuses several requests in one body, since they would bypass the rate limit. */
const oneRequest: RequestHandler = (req, _res, next) => {
  const body: unknown = req.body;
  const isRequest =
    typeof body === 'object' && body !== null && 'query' in body && typeof body.query === 'string' && body.query !== '';
  const detail =
    'The body is no GraphQL request. Send a JSON object such as {"query":"{ credits { balance } }","variables":{}}.';
  next(isRequest ? undefined : httpFailure(new Failure('BAD_USER_INPUT', { detail }), { status: 400 }));
};
