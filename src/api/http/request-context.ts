import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { type AuditActor, Failure } from '@burnish/contract';
import type { Caller, UploadIdempotencyKey, IdempotencyKey } from '../commands/command-types.ts';
import { watchReplays } from '../commands/idempotency.ts';
import type { ArrivingBody } from '../trouble/permits.ts';
import { idempotencyKey } from '../schemas/fields.ts';
import { onceClosed } from './once-closed.ts';
import { currentSpan, inThisTrace, runInTrace, markFailed, parentFrom, startSpan } from '../../tracing/span.ts';

export interface RequestContext {
  requestId: string;
  log: Logger;
  caller?: Caller;
  /** The operator as the actor of the request */
  operator?: AuditActor;
  /** Whether the caller's key or session is still valid, for endless responses */
  isCallerGood?: () => Promise<boolean>;
  failure?: Failure;
  /** The idempotency key of a request that creates an upload */
  uploadKey?: UploadIdempotencyKey;
  /** Frees the request's idempotency key, so that another request with it is accepted */
  freeKey?: () => void;
  /** The body, while it arrives */
  arriving?: ArrivingBody;
  /** Releases the request's permit to upload. @param failure of the upload, if it has failed */
  releasePermit?: (failure?: unknown) => void;
}

/** Health checks of orchestrators. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

const CONTEXT = Symbol('context');
type WithContext = Response & { [CONTEXT]?: RequestContext };

/** Assigns an id to each request, which the response and every log line contain, and logs its end. */
export function requestContext(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const requestId = randomUUID();
    const context: RequestContext = { requestId, log: logger.child({ requestId }) };
    (res as WithContext)[CONTEXT] = context;
    res.setHeader('X-Request-Id', requestId);
    const startedAt = performance.now();
    currentSpan()?.setAttribute('burnish.request_id', requestId);
    const logEnd = (): void => {
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
      // Orchestrators send them every few seconds.
      const level = PROBES.has(path) && res.statusCode < 400 ? 'debug' : 'info';
      context.log[level](facts, 'request');
    };
    res.once('close', inThisTrace(logEnd));
    next();
  };
}

/** The path without the query, which can contain the token of a signed URL, and without a token or a file name in the path. */
function pathToLog(url: string): string {
  return url.split('?')[0]!.replace(/^(\/+webhooks\/+hosted\/+|\/+files\/+[^/]+\/+).+/i, '$1…');
}

export function getContext(res: Response): RequestContext {
  const context = (res as WithContext)[CONTEXT];
  if (context === undefined) throw new Error('The request has no context: requestContext runs before everything else.');
  return context;
}

export function getCaller(res: Response): Caller {
  const { caller } = getContext(res);
  if (caller === undefined)
    throw new Error('The request has no caller: authenticate runs before every route of an account.');
  return caller;
}

/** The operator as an actor of the audit log. */
export function getOperator(res: Response): AuditActor {
  const { operator } = getContext(res);
  if (operator === undefined)
    throw new Error('The request has no operator: authenticateOperator runs before every route of the operator.');
  return operator;
}

/** Whether the caller still has access, according to a recent check. */
export async function isCallerGood(res: Response): Promise<boolean> {
  return (await getContext(res).isCallerGood?.()) ?? false;
}

export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** The header's value as one text; undefined when it is absent. */
export function readHeader(req: Pick<Request, 'headers'>, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

export const CHALLENGE = 'ApiKey realm="burnish", header="x-api-key", Bearer realm="burnish"';

/** The API key of a request: from `x-api-key`, or else from `Authorization: Bearer`; undefined without one. */
export function readApiKey(req: Request): string | undefined {
  const [, token] = /^Bearer +(\S+)$/i.exec(readHeader(req, 'authorization') ?? '') ?? [];
  return readHeader(req, 'x-api-key') ?? token;
}

/**
 * Reads an `Idempotency-Key` header.
 * @param header undefined without one: each repetition is then a new change
 * @throws Failure BAD_USER_INPUT that names the header
 */
export function readIdempotencyKey(header: string | undefined): IdempotencyKey {
  if (header === undefined) return null;
  const { success, data } = idempotencyKey.safeParse(header);
  if (success) return data;
  const detail = 'The Idempotency-Key is not valid. Send 1 to 255 visible ASCII characters without spaces.';
  throw new Failure('BAD_USER_INPUT', { field: 'Idempotency-Key', detail });
}

/** The `Idempotency-Key` of a request, or null. @throws Failure BAD_USER_INPUT for a malformed one */
export function readIdempotencyHeader(req: Request<object>): IdempotencyKey {
  return readIdempotencyKey(readHeader(req, 'idempotency-key'));
}

/**
 * The key of a request that creates an upload: the caller's own, or a generated one. The response contains it.
 * @throws Failure BAD_USER_INPUT for a malformed header
 */
export function getUploadIdempotencyKey(req: Request<object>, res: Response): UploadIdempotencyKey {
  const context = getContext(res);
  if (context.uploadKey === undefined) {
    const given = readIdempotencyHeader(req);
    context.uploadKey = given === null ? { key: randomUUID(), made: true } : { key: given, made: false };
    res.setHeader('Idempotency-Key', context.uploadKey.key);
  }
  return context.uploadKey;
}

/**
 * Adds the idempotency key to every response of a request that creates an upload, including refusals. After a lost
 * response, the same request with that key finds the upload.
 */
export const returnUploadIdempotencyKey: RequestHandler = (req, res, next) => {
  try {
    getUploadIdempotencyKey(req, res);
  } catch {
    // The operation itself refuses a malformed key, after the API key has been checked.
  }
  next();
};

/** Marks the response to a request that repeats an earlier one by its idempotency key. */
export const tellReplays: RequestHandler = (_req, res, next) => {
  watchReplays(() => {
    if (!res.headersSent) res.setHeader('Idempotent-Replayed', 'true');
  }, next);
};

/** Delay before a retry with a key in flight. Most requests finish within a second. */
const KEY_RETRY_AFTER_SECONDS = 1;

/**
 * Refuses a change with an `Idempotency-Key` of a pending request at this gateway, with IDEMPOTENCY_KEY_IN_FLIGHT
 * (draft-ietf-httpapi-idempotency-key-header, section 2.6). The key is free again after the response or the end of
 * the connection. Equal requests at two gateways have one effect, and each gets its record.
 */
export function refuseKeysInFlight(): RequestHandler {
  const inFlight = new Set<string>();
  return (req, res, next) => {
    const header = readHeader(req, 'idempotency-key');
    if (header === undefined || isRead(req)) {
      next();
      return;
    }
    const name = JSON.stringify([getCaller(res).account.id, header]);
    if (inFlight.has(name)) {
      throw new Failure('IDEMPOTENCY_KEY_IN_FLIGHT', {
        field: 'Idempotency-Key',
        retryAfterSeconds: KEY_RETRY_AFTER_SECONDS,
      });
    }
    inFlight.add(name);
    let isHeld = true;
    const free = (): void => {
      if (isHeld) inFlight.delete(name);
      isHeld = false;
    };
    getContext(res).freeKey = free;
    onceClosed(res, free);
    next();
  };
}

/**
 * A span for each request, under the `traceparent` of its caller. It contains no path, because paths can contain tokens.
 * @param routeOf the pattern of a path, one of a fixed list
 */
export function traceRequests(routeOf: (path: string) => string): RequestHandler {
  return (req, res, next) => {
    if (PROBES.has(req.path)) {
      next();
      return;
    }
    const [method, route] = [req.method, routeOf(req.path)];
    const attributes = { 'http.request.method': method, 'http.route': route };
    const parent = parentFrom(req.headers);
    const span = startSpan(`${method} ${route}`, { kind: 'SERVER', attributes, parent });
    res.once('close', () => {
      const { caller, failure } = getContext(res);
      span.setAttribute('http.response.status_code', res.statusCode);
      if (caller !== undefined) span.setAttribute('burnish.account_id', caller.account.id);
      if (!res.writableFinished) span.setAttribute('burnish.aborted', true);
      if (failure !== undefined && res.statusCode >= 500) markFailed(span, failure);
      span.end();
    });
    runInTrace(span, parent, next);
  };
}
