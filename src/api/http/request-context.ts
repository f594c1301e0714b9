import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { AuditActor } from '../../domain/accounts/audit.ts';
import type { Failure } from '../../domain/failures.ts';
import type { Caller, CreateKey } from '../commands/command-types.ts';

/** What the gateway knows of a request besides what was sent. */
export interface RequestContext {
  requestId: string;
  log: Logger;
  caller?: Caller;
  /** Where the operator asks */
  operator?: AuditActor;
  /** Whether what the caller was known by still holds: for an answer that goes on and on */
  isCallerGood?: () => Promise<boolean>;
  /** What the request was refused with */
  failure?: Failure;
  /** Of a request that makes an upload */
  createKey?: CreateKey;
  /** Ends the time in which another request with its idempotency key is refused */
  freeKey?: () => void;
  /** Gives back the place that the request has among the uploads that are taken in */
  leavePlace?: () => void;
}

/** Questions whether a process does its part. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

const CONTEXT = Symbol('context');
type WithContext = Response & { [CONTEXT]?: RequestContext };

/** Gives each request an id, which the answer carries and every log line names, and logs its end. */
export function requestContext(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const requestId = randomUUID();
    const context: RequestContext = { requestId, log: logger.child({ requestId }) };
    (res as WithContext)[CONTEXT] = context;
    res.setHeader('X-Request-Id', requestId);
    const startedAt = performance.now();
    res.once('close', () => {
      const [method, path] = [req.method, pathToLog(req.originalUrl)];
      const durationMs = Math.round(performance.now() - startedAt);
      const { accountId, keyId } = { accountId: context.caller?.account.id, keyId: context.caller?.keyId };
      const facts = {
        method,
        path,
        status: res.statusCode,
        code: context.failure?.code,
        durationMs,
        accountId,
        keyId,
        aborted: !res.writableFinished,
      };
      // Orchestrators look every few seconds.
      const level = PROBES.has(path) && res.statusCode < 400 ? 'debug' : 'info';
      context.log[level](facts, 'request');
    });
    next();
  };
}

/** The path alone, since a query can hold the token of a signed address, and not the token that is part of a path. */
function pathToLog(address: string): string {
  return address.split('?')[0]!.replace(/^(\/+webhooks\/+hosted\/+).+/i, '$1…');
}

export function contextOf(res: Response): RequestContext {
  const context = (res as WithContext)[CONTEXT];
  if (context === undefined) throw new Error('The request has no context: requestContext runs before everything else.');
  return context;
}

/** The caller, once `authenticate` has run. */
export function callerOf(res: Response): Caller {
  const { caller } = contextOf(res);
  if (caller === undefined)
    throw new Error('The request has no caller: authenticate runs before every route of an account.');
  return caller;
}

/** The operator, as the audit log names a caller over HTTP. */
export function operatorOf(res: Response): AuditActor {
  const { operator } = contextOf(res);
  if (operator === undefined)
    throw new Error('The request has no operator: authenticateOperator runs before every route of the operator.');
  return operator;
}

/** Whether the caller still has access, as known a moment ago. */
export async function isCallerGood(res: Response): Promise<boolean> {
  return (await contextOf(res).isCallerGood?.()) ?? false;
}

/** The header's value as one text; undefined when it is absent. */
export function headerOf(req: Pick<Request, 'headers'>, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
