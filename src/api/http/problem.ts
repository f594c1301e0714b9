import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Logger } from 'pino';
import { explainFailure, Failure, FAILURES, type FailureCode, type FailureOptions } from '@burnish/contract';
import { listCauses } from '../../domain/causes.ts';
import { CHALLENGE, getContext } from './request-context.ts';
import { namingTrouble } from '../trouble/unavailable.ts';

/** Time in milliseconds for a client that is still sending its body to read the response. */
const LINGER_MS = 10_000;
/** The same for a client whose body is too slow. The rest of it is not read. */
const CUT_LINGER_MS = 1_000;

/**
 * The title of a problem (RFC 9457, section 3.1.3): the sentence of the code. With a status other than the code's
 * own, the sentence would not fit, so the title is the HTTP phrase.
 */
export const problemTitle = (code: FailureCode, status: number): string =>
  status === FAILURES[code].httpStatus ? FAILURES[code].sentence : statusPhrase(status);

/**
 * The type of a problem: the page of its code. With a status other than the code's own it is `about:blank`, as RFC
 * 9457 defines for problems of the status itself.
 */
export const problemType = (code: FailureCode, status: number): string =>
  status === FAILURES[code].httpStatus ? `/docs/errors/${code}` : OF_STATUS;

/** The type of a problem of the status itself. */
const OF_STATUS = 'about:blank';

/** The HTTP phrase of a status. tus alone has one that HTTP does not know. */
const statusPhrase = (status: number): string => STATUS_CODES[status] ?? 'Checksum Mismatch';

/** A failure with an HTTP status that a protocol defines, which says more than its code. */
export class ProtocolFailure extends Failure {
  readonly httpStatus: number;

  constructor(httpStatus: number, code: FailureCode, options: FailureOptions) {
    super(code, options);
    this.httpStatus = httpStatus;
  }
}

/** The HTTP status of a failure. A temporary INTERNAL failure is 503. */
export function toHttpStatus(failure: Failure): number {
  if (failure instanceof ProtocolFailure) return failure.httpStatus;
  const { code, retryAfterSeconds } = failure;
  return code === 'INTERNAL' && retryAfterSeconds !== undefined ? 503 : FAILURES[code].httpStatus;
}

/**
 * Responds to every error with `application/problem+json` (RFC 9457) and its code. An error other than a `Failure`
 * shows no details.
 */
export const problemHandler: ErrorRequestHandler = (error: unknown, req, res, next) => {
  const { log } = getContext(res);
  const failure = toFailure(error);
  if (req.destroyed && !req.complete) {
    // The client has disconnected, so no response is possible.
    log.debug({ err: failure }, 'client aborted');
    res.destroy();
    return;
  }
  const status = toHttpStatus(failure);
  logFailure(log, failure, status);
  if (res.headersSent) {
    next(error);
    return;
  }
  sendProblem(req, res, failure, status);
};

/**
 * Logs defects as errors, and an unavailable part in one line, because there may be thousands of such lines. The reason is
 * the innermost cause: those around it may quote a query with its values.
 */
function logFailure(log: Logger, { code, message, cause }: Failure, status: number): void {
  if (code === 'UNAVAILABLE') log.warn({ code, reason: listCauses(cause).at(-1)?.message }, message);
  else if (status >= 500) log.error({ err: cause ?? message }, 'request failed');
}

/** Sends a failure as a problem. @param status differs from the code's own only if another HTTP status fits better */
export function sendProblem(
  req: Request<object>,
  res: Response,
  failure: Failure,
  status = toHttpStatus(failure),
): void {
  const body = startProblem(req, res, failure, status);
  if (!isArriving(req)) {
    res.end(req.method === 'HEAD' ? undefined : body);
    return;
  }
  // If the server closed the socket while the client sends its body, the client would lose the response.
  res.write(body);
  req.resume();
  const end = (): void => void res.end();
  const timer = setTimeout(end, LINGER_MS);
  req.once('close', end).once('end', end);
  res.once('close', () => clearTimeout(timer));
}

/**
 * Refuses a request from outside of its handler, which still reads the body: not one more byte reaches the handler, and
 * its reading ends with the failure.
 */
export function cutOff(req: Request<object>, res: Response, failure: Failure): void {
  if (res.headersSent || res.closed) return;
  req.socket.pause();
  res.write(startProblem(req, res, failure, toHttpStatus(failure)));
  // Node.js no longer reports the end of the connection to a reader of the body after the response.
  const timer = setTimeout(() => res.end(), CUT_LINGER_MS);
  const endReading = (): void => {
    clearTimeout(timer);
    req.destroy(failure);
  };
  res.once('finish', endReading).once('close', endReading);
}

/** Writes the head of a problem, and releases the request's permit. @returns its body */
function startProblem(req: Request<object>, res: Response, failure: Failure, status: number): Buffer {
  const context = getContext(res);
  const { requestId } = context;
  const isOfCode = !(failure instanceof ProtocolFailure);
  context.failure = failure;
  context.releasePermit?.(failure);
  const body = Buffer.from(
    JSON.stringify({
      type: isOfCode ? problemType(failure.code, status) : OF_STATUS,
      title: isOfCode ? problemTitle(failure.code, status) : statusPhrase(status),
      status,
      ...explainFailure(failure.code, failure.message),
      code: failure.code,
      ...(failure.field === undefined ? {} : { field: failure.field }),
      retryable: failure.retryable,
      requestId,
    }),
  );
  res.status(status).set({
    'Content-Type': 'application/problem+json',
    'Content-Length': String(body.byteLength),
    'Cache-Control': 'no-store',
  });
  if (status === 401) res.set('WWW-Authenticate', CHALLENGE);
  if (failure.retryAfterSeconds !== undefined) res.set('Retry-After', String(failure.retryAfterSeconds));
  if (isArriving(req)) res.set('Connection', 'close');
  return body;
}

/** Whether more of the body of a request may arrive. */
export const isArriving = (req: Request<object>): boolean => !req.complete && hasBytes(req);

/** Whether a request has a body of at least one byte. */
export function hasBytes(req: Request<object>): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/** The refusal of a URL without an operation. */
export const nothingThere = (): Failure =>
  new ProtocolFailure(404, 'NOT_FOUND', { detail: 'No operation has this path. Choose one that /docs lists.' });

/** Converts any error to a failure; errors of Express, such as for a path with a wrong escape, are the client's. */
export function toFailure(thrown: unknown): Failure {
  const error = namingTrouble(thrown);
  if (error instanceof Failure) return error;
  if (isClientError(error)) {
    return new Failure('BAD_USER_INPUT', {
      detail: 'The path or the query cannot be read. Use percent-encoded UTF-8 in both.',
      cause: error,
    });
  }
  return new Failure('INTERNAL', { cause: error });
}

/** Whether an error comes from Express, which sets a status. */
function isClientError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'status' in error &&
    typeof error.status === 'number' &&
    error.status >= 400 &&
    error.status < 500
  );
}
