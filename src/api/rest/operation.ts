import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { ZodOpenApiRequestBodyObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { Failure, type FailureCode, isId, type IdPrefix, type Scope } from '@burnish/contract';
import { checked } from '@burnish/contract/schemas';
import { assertScope } from '../commands/checks.ts';
import { refuseMatch } from '../http/preconditions.ts';
import { readIdempotencyHeader, getCaller, getContext } from '../http/request-context.ts';
import { idempotencyHeader, idMeta, idParameterName } from '../schemas/fields.ts';
import { tellingReplays, type Answer } from './answers.ts';
import { readJson, wrongBodyType } from './json-body.ts';
import { jsonRequestBody } from './json-request-body.ts';
import { problemResponses, refusal } from './problem-responses.ts';
import type { GraphqlField, SharedOperation, SharedRequest } from './shared-operation.ts';
import type { Tag } from './tags.ts';

export type Method = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options';

/**
 * One operation of the REST interface. It defines the Express routes, the OpenAPI document, the response to other
 * methods (405) and the route labels of the metrics.
 */
export interface Operation<Deps> {
  operationId: string;
  method: Method;
  /** OpenAPI path, such as `/v1/uploads/{id}` */
  path: string;
  tag: Tag;
  summary: string;
  description: string | undefined;
  /** Required scope of the API key; `operator`: needs the operator's key; undefined: works without a key */
  scope: Scope | 'operator' | undefined;
  /** Whether a success creates an upload: such requests pass the admission, and get an idempotency key */
  createsUpload: boolean;
  parameters: z.ZodObject | undefined;
  query: z.ZodObject | undefined;
  headers: z.ZodObject | undefined;
  requestBody: ZodOpenApiRequestBodyObject | undefined;
  responses: ZodOpenApiResponsesObject;
  handlers: (deps: Deps) => RequestHandler[];
  /** Undefined: GraphQL has no such field, or one of another shape */
  shared: SharedOperation<Deps> | undefined;
}

/** Refusals of a body: too slow, or compressed or of another type than JSON. */
export const BODY_FAILURES = ['REQUEST_TIMEOUT', 'UNSUPPORTED_MEDIA_TYPE'] as const satisfies FailureCode[];

export const nothing = z.strictObject({});
/** Commands without fields accept no body, or an empty object. */
export const noBody = nothing.optional();

export interface OperationRequest<Parameters, Query, Body> extends SharedRequest<Parameters, Query, Body> {
  req: Request<object>;
  res: Response;
}

export interface Described {
  operationId: string;
  method: Method;
  path: string;
  tag: Tag;
  summary: string;
  /** Markdown; details beyond the summary */
  description?: string;
  /** Request headers, for the description only */
  headers?: z.ZodObject;
}

interface Declaration<
  Parameters extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Value,
  Deps,
  Request = SharedRequest<z.output<Parameters>, z.output<Query>, z.output<Body>>,
> extends Described {
  /** Required scope of the API key */
  scope: Scope;
  /** Path parameters. An invalid value returns NOT_FOUND, or BAD_USER_INPUT where `failures` lack that. */
  parameters?: Parameters;
  /** Absent: a query is refused */
  query?: Query;
  /** JSON. Absent: only an empty body is accepted */
  body?: Body;
  /** An example of the body */
  example?: z.input<Body>;
  /** Instead of `body`: describes bodies that the handler reads itself */
  requestBody?: ZodOpenApiRequestBodyObject;
  createsUpload?: boolean;
  /** Takes no `Idempotency-Key`: it only reads with a method other than GET, or is idempotent by its headers or its body */
  withoutKey?: boolean;
  answer: Answer<Value>;
  /** Codes of refusals, besides those that every operation has */
  failures?: readonly FailureCode[];
  handle: (request: Request, deps: Deps) => Value | Promise<Value>;
}

/** An operation that GraphQL shares, so its handler sees nothing of HTTP. */
type SharedDeclaration<
  Parameters extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Value,
  Deps,
> = Declaration<Parameters, Query, Body, Value, Deps> & { graphql: GraphqlField };

type RestDeclaration<
  Parameters extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Value,
  Deps,
> = Declaration<
  Parameters,
  Query,
  Body,
  Value,
  Deps,
  OperationRequest<z.output<Parameters>, z.output<Query>, z.output<Body>>
> & { graphql?: undefined };

/** Declares an operation that needs an API key. Its changes support an `Idempotency-Key`. */
export function operation<
  Value,
  Deps,
  Parameters extends z.ZodType = typeof nothing,
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof noBody,
>(declared: SharedDeclaration<Parameters, Query, Body, Value, Deps>): Operation<Deps>;
export function operation<
  Value,
  Deps,
  Parameters extends z.ZodType = typeof nothing,
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof noBody,
>(declared: RestDeclaration<Parameters, Query, Body, Value, Deps>): Operation<Deps>;
export function operation<Value, Deps, Parameters extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  declared:
    SharedDeclaration<Parameters, Query, Body, Value, Deps> | RestDeclaration<Parameters, Query, Body, Value, Deps>,
): Operation<Deps> {
  const { method, scope, answer, failures = [] } = declared;
  const isRead = method === 'get' || method === 'head' || declared.withoutKey === true;
  const body = hasBody(method) && declared.requestBody === undefined ? declared.body : undefined;

  async function respond(req: Request<object>, res: Response, deps: Deps): Promise<void> {
    assertScope(getCaller(res), scope);
    const request = {
      caller: getCaller(res),
      ...(await readRequest(declared, req)),
      idempotencyKey: isRead ? null : readIdempotencyHeader(req),
      req,
      res,
    };
    if (isConditional(method)) refuseMatch(req);
    await answer.send(req, res, await declared.handle(request, deps));
  }

  return {
    ...describe(declared),
    description: [declared.description, `Needs the scope \`${scope}\`.`].filter(Boolean).join(' '),
    scope,
    createsUpload: declared.createsUpload ?? false,
    parameters: declared.parameters as z.ZodObject | undefined,
    query: declared.query as z.ZodObject | undefined,
    headers: isRead ? declared.headers : z.object({ 'Idempotency-Key': idempotencyHeader, ...declared.headers?.shape }),
    requestBody: declared.requestBody ?? (body && jsonRequestBody(body, declared.example)),
    responses: {
      ...(isRead ? answer.responses : tellingReplays(answer.responses)),
      ...problemResponses(
        'FORBIDDEN',
        'ACCOUNT_SUSPENDED',
        ...(hasBody(method) ? BODY_FAILURES : []),
        ...(isRead ? [] : (['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_IN_FLIGHT'] as const)),
        ...failures,
      ),
      ...(isConditional(method) && { '412': refusal('`If-Match` names an ETag, and the resource has none.') }),
    },
    // Frees the key before the response is sent, so that the caller's next request can use it.
    handlers: (deps) => [(req, res) => respond(req, res, deps).finally(() => getContext(res).freeKey?.())],
    shared: declared.graphql && sharedOperation(declared, isRead),
  };
}

function sharedOperation<Parameters extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType, Value, Deps>(
  declared: SharedDeclaration<Parameters, Query, Body, Value, Deps>,
  isRead: boolean,
): SharedOperation<Deps> {
  const { graphql, scope, summary, description, parameters, query, body, answer, failures = [], handle } = declared;
  if (answer.content === undefined) throw new Error(`GraphQL cannot carry the answer of ${declared.operationId}.`);
  return {
    ...{ graphql, scope, isRead, content: answer.content, failures },
    description: [`${summary}.`, description].filter(Boolean).join(' ').replaceAll('\n\n', ' '),
    parameters: parameters as z.ZodObject | undefined,
    query: query as z.ZodObject | undefined,
    body: (body instanceof z.ZodOptional ? body.unwrap() : body) as z.ZodObject | undefined,
    handle,
  };
}

interface OpenDeclaration<Deps> extends Described {
  /** Only for the description: the handler validates them */
  parameters?: z.ZodObject;
  query?: z.ZodObject;
  requestBody?: ZodOpenApiRequestBodyObject;
  responses: ZodOpenApiResponsesObject;
  /** Descriptions of refusals, by HTTP status */
  refusals?: Record<number, string>;
  /** Run before the handler */
  before?: (deps: Deps) => RequestHandler[];
  handle: (req: Request<Record<string, string>>, res: Response, deps: Deps) => void | Promise<void>;
}

/** Declares an operation that works without an API key. Its handler reads the request and sends the response itself. */
export function openOperation<Deps>(declared: OpenDeclaration<Deps>): Operation<Deps> {
  const { before, handle, responses, refusals = {} } = declared;
  return {
    ...describe(declared),
    scope: undefined,
    createsUpload: false,
    parameters: declared.parameters,
    query: declared.query,
    headers: declared.headers,
    requestBody: declared.requestBody,
    responses: {
      ...responses,
      '500': refusal('An internal error.'),
      ...Object.fromEntries(Object.entries(refusals).map(([status, text]) => [status, refusal(text)] as const)),
    },
    handlers: (deps) => [
      ...(before?.(deps) ?? []),
      (req, res) => handle(req as Request<Record<string, string>>, res, deps),
    ],
    shared: undefined,
  };
}

/** The schema of an id. */
export function idParameter(prefix: IdPrefix): z.ZodType<string> {
  return z
    .string()
    .refine((text) => isId(prefix, text))
    .meta(idMeta(prefix));
}

type IdPath = z.ZodObject<{ id: z.ZodType<string> }, z.core.$strict>;
const ID_PATHS = new Map<IdPrefix, IdPath>();

/** The parameters of a path with the id of one record. The OpenAPI document describes each of them once. */
export function idPath(prefix: IdPrefix): IdPath {
  const path =
    ID_PATHS.get(prefix) ??
    z.strictObject({ id: idParameter(prefix).meta({ param: { id: idParameterName(prefix) } }) });
  ID_PATHS.set(prefix, path);
  return path;
}

export function describe({ operationId, method, path, tag, summary, description }: Described) {
  return { operationId, method, path, tag, summary, description };
}

/**
 * Validates the parts of a request. @throws {Failure} `NOT_FOUND` for a malformed id where the operation has that failure;
 * `BAD_USER_INPUT`; `UNSUPPORTED_MEDIA_TYPE` for a body of another type than JSON; the refusals of `readJson`
 */
export async function readRequest<Parameters extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  declared: {
    method: Method;
    parameters?: Parameters;
    query?: Query;
    body?: Body;
    requestBody?: ZodOpenApiRequestBodyObject;
    failures?: readonly FailureCode[];
  },
  req: Request<object>,
) {
  const path = declared.parameters ?? nothing;
  if (declared.failures?.includes('NOT_FOUND') === true && !path.safeParse(req.params).success)
    throw new Failure('NOT_FOUND');
  const parameters = checked(path, req.params, 'The path');
  if (hasBody(declared.method)) {
    const wrongType = declared.requestBody === undefined && wrongBodyType(req, declared.body !== undefined);
    if (wrongType) throw wrongType;
    await readJson(req);
  }
  const query = checked(declared.query ?? nothing, req.query, 'The query');
  const body =
    hasBody(declared.method) && declared.requestBody === undefined
      ? checked(declared.body ?? noBody, req.body)
      : undefined;
  return {
    parameters: parameters as z.output<Parameters>,
    query: query as z.output<Query>,
    body: body as z.output<Body>,
  };
}

/** Changes of one resource, which a client may bind to the state that it has read. */
const isConditional = (method: Method): boolean => ['put', 'patch', 'delete'].includes(method);

export const hasBody = (method: Method): boolean => !['get', 'head', 'delete'].includes(method);
