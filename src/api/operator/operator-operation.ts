import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { AuditActor, FailureCode } from '@burnish/contract';
import { getOperator } from '../http/request-context.ts';
import type { Answer } from '../rest/answers.ts';
import {
  BODY_FAILURES,
  describe,
  hasBody,
  type noBody,
  type nothing,
  readRequest,
  type Described,
  type Operation,
} from '../rest/operation.ts';
import { jsonRequestBody } from '../rest/json-request-body.ts';
import { problemResponses } from '../rest/problem-responses.ts';

interface OperatorDeclaration<
  Parameters extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Value,
  Deps,
> extends Omit<Described, 'tag'> {
  parameters?: Parameters;
  query?: Query;
  body?: Body;
  example?: z.input<Body>;
  answer: Answer<Value>;
  failures?: readonly FailureCode[];
  handle: (
    request: {
      /** Actor for the audit log */
      by: AuditActor;
      parameters: z.output<Parameters>;
      query: z.output<Query>;
      body: z.output<Body>;
      req: Request<object>;
      res: Response;
    },
    deps: Deps,
  ) => Value | Promise<Value>;
}

/** Declares an operation of the operator, like `operation` for accounts. Its changes are idempotent without a key. */
export function operatorOperation<
  Value,
  Deps,
  Parameters extends z.ZodType = typeof nothing,
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof noBody,
>(declared: OperatorDeclaration<Parameters, Query, Body, Value, Deps>): Operation<Deps> {
  const { method, answer, failures = [] } = declared;

  async function respond(req: Request<object>, res: Response, deps: Deps): Promise<void> {
    const request = { by: getOperator(res), ...(await readRequest(declared, req)), req, res };
    await answer.send(req, res, await declared.handle(request, deps));
  }

  return {
    ...describe({ ...declared, tag: 'Operator' }),
    description: [declared.description, "Needs the operator's key."].filter(Boolean).join(' '),
    scope: 'operator',
    createsUpload: false,
    parameters: declared.parameters as z.ZodObject | undefined,
    query: declared.query as z.ZodObject | undefined,
    headers: declared.headers,
    requestBody:
      hasBody(method) && declared.body !== undefined ? jsonRequestBody(declared.body, declared.example) : undefined,
    responses: { ...answer.responses, ...problemResponses(...(hasBody(method) ? BODY_FAILURES : []), ...failures) },
    handlers: (deps) => [(req, res) => respond(req, res, deps)],
    shared: undefined,
  };
}
