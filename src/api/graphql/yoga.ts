import { createYoga } from 'graphql-yoga';
import type { Request, Response } from 'express';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { readApiKey, getUploadIdempotencyKey, getCaller, getContext, readHeader } from '../http/request-context.ts';
import type { GraphqlContext, GraphqlDeps } from './context.ts';
import { createUploadIdempotencyKeyResolver, createIdempotencyKeyResolver } from './idempotency.ts';
import { documentLimits } from './limits/document-limits.ts';
import { outOfTime, timeLimit } from './limits/time-limit.ts';
import { createItemScheduler } from './limits/item-scheduler.ts';
import { createTextCache } from './limits/text-cache.ts';
import { createLoaders } from './loaders.ts';
import { freshCallerForChanges, publicErrors } from './plugins.ts';

interface ServerContext {
  req: Request;
  res: Response;
}

/** Parses, validates and executes the requests of `POST /graphql`; Express handles the rest. */
export function createGraphqlServer(deps: GraphqlDeps, schema: GraphQLSchema) {
  return createYoga<ServerContext, GraphqlContext>({
    schema,
    context: ({ req, res }) => requestContext(deps, req, res),
    plugins: [
      documentLimits(),
      freshCallerForChanges(),
      timeLimit(deps.limits.graphqlMs),
      publicErrors(
        schema,
        (context) => getContext((context as ServerContext).res),
        (context) => ((context as ServerContext).req.body as { variables?: unknown }).variables,
      ),
    ],
    parserAndValidationCache: { documentCache: createTextCache<DocumentNode>(), errorCache: createTextCache<Error>() },
    // `publicErrors` masks errors, since it has their codes.
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    multipart: false,
    maxRequestBodySize: false,
  });
}

function requestContext(deps: GraphqlDeps, req: Request, res: Response): GraphqlContext {
  const caller = getCaller(res);
  const accountId = caller.account.id;
  const { idempotencyKeys, admission } = deps;
  const { graphqlMs } = deps.limits;
  const until = performance.now() + graphqlMs;
  const idempotencyKeyFor = createIdempotencyKeyResolver({
    idempotencyKeys,
    accountId,
    header: readHeader(req, 'idempotency-key'),
  });
  return {
    deps,
    caller,
    apiKey: readApiKey(req)!,
    loaders: createLoaders(deps, accountId),
    scheduler: createItemScheduler(),
    assertInTime() {
      if (performance.now() > until) throw outOfTime(graphqlMs);
    },
    idempotencyKeyFor,
    uploadIdempotencyKeyFor: async (info) =>
      createUploadIdempotencyKeyResolver(getUploadIdempotencyKey(req, res), idempotencyKeyFor)(info),
    admit: (work) => admission.run(accountId, work),
  };
}
