import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { AuditActor } from '../../domain/accounts/audit.ts';
import { Failure } from '../../domain/failures.ts';
import type { Caller, CreateKey, IdempotencyKey } from '../commands/command-types.ts';
import { idempotencyKey } from '../schemas/fields.ts';

/** What the gateway knows of a request besides what was sent. */
export interface RequestContext {
  requestId: string;
  log: Logger;
  caller?: Caller;
  /** Where the operator asks */
  operator?: AuditActor;
  /** Whether the caller's key or session is still valid: for an answer without an end */
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

/** The challenge to a refused caller: the ways to send a key. */
export const CHALLENGE = 'ApiKey realm="burnish", header="x-api-key", Bearer realm="burnish"';

/** The API key of a request: of `x-api-key`, or else of `Authorization: Bearer`; undefined where it brings none. */
export function apiKeyOf(req: Request): string | undefined {
  const [, token] = /^Bearer +(\S+)$/i.exec(headerOf(req, 'authorization') ?? '') ?? [];
  return headerOf(req, 'x-api-key') ?? token;
}

/**
 * Reads an `Idempotency-Key` header.
 * @param header undefined where the request has none: each repetition then changes something again
 * @throws Failure BAD_USER_INPUT that names the header
 */
export function readIdempotencyKey(header: string | undefined): IdempotencyKey {
  if (header === undefined) return null;
  const { success, data } = idempotencyKey.safeParse(header);
  if (success) return data;
  const detail = 'Expected an Idempotency-Key of 1 to 255 visible ASCII characters.';
  throw new Failure('BAD_USER_INPUT', { field: 'Idempotency-Key', detail });
}

/** The `Idempotency-Key` of a request, or null. @throws Failure BAD_USER_INPUT when it is malformed */
export function idempotencyKeyOf(req: Request<object>): IdempotencyKey {
  return readIdempotencyKey(headerOf(req, 'idempotency-key'));
}

/**
 * The key of a request that creates an upload: the caller's own, or a generated one. The answer names it.
 * @throws Failure BAD_USER_INPUT when the header is malformed
 */
export function createKeyOf(req: Request<object>, res: Response): CreateKey {
  const context = contextOf(res);
  if (context.createKey === undefined) {
    const given = idempotencyKeyOf(req);
    context.createKey = given === null ? { key: randomUUID(), made: true } : { key: given, made: false };
    res.setHeader('Idempotency-Key', context.createKey.key);
  }
  return context.createKey;
}

/**
 * Returns the idempotency key with every answer to a request that creates an upload, refusals included. After a lost answer,
 * the same request with that key finds the upload.
 */
export const returnCreateKey: RequestHandler = (req, res, next) => {
  try {
    createKeyOf(req, res);
  } catch {
    // The operation refuses a malformed key itself, after the API key has been checked.
  }
  next();
};
