import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { AuditActor } from '../../domain/accounts/audit.ts';
import { Failure } from '../../domain/failures.ts';
import type { FailureCode } from '../../domain/failures.ts';
import { operatorOf } from '../http/request-context.ts';
import type { Answer } from '../rest/answers.ts';
import { describe, jsonRequestBody, noBody, nothing, readJson } from '../rest/operation.ts';
import type { Described, Operation } from '../rest/operation.ts';
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
      /** For the audit log */
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

/** Declares an operation of the operator, as `operation` does for accounts. Its changes may be repeated as they are. */
export function operatorOperation<
  Value,
  Deps,
  Parameters extends z.ZodType = typeof nothing,
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof noBody,
>(declared: OperatorDeclaration<Parameters, Query, Body, Value, Deps>): Operation<Deps> {
  const { method, answer, failures = [] } = declared;
  const readsJson = method !== 'get' && method !== 'delete';

  async function respond(req: Request<object>, res: Response, deps: Deps): Promise<void> {
    const by = operatorOf(res);
    const { success, data } = (declared.parameters ?? nothing).safeParse(req.params);
    if (!success) throw new Failure('NOT_FOUND');
    if (readsJson) await readJson(req, res);
    const request = {
      by,
      parameters: data as z.output<Parameters>,
      query: (declared.query ?? nothing).parse(req.query) as z.output<Query>,
      body: (readsJson ? (declared.body ?? noBody).parse(req.body) : undefined) as z.output<Body>,
      req,
      res,
    };
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
      readsJson && declared.body !== undefined ? jsonRequestBody(declared.body, declared.example) : undefined,
    responses: { ...answer.responses, ...problemResponses(...failures) },
    handlers: (deps) => [(req, res) => respond(req, res, deps)],
  };
}
