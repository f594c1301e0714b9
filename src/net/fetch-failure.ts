import { errors } from 'undici';
import { Failure } from '@burnish/contract';
import { DeadlineError } from '../process/deadline.ts';

/** A refusal with a public sentence; `retryable` says whether the same address may respond later. */
export function fetchFailure(detail: string, retryable: boolean, cause?: unknown): Failure {
  return new Failure('URL_FETCH_FAILED', { detail, retryable, ...(cause === undefined ? {} : { cause }) });
}

/** Statuses after which the same request may succeed (RFC 9110; 425 is RFC 8470). */
export function isRetryableStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/** The sentence for a network error by its code, and whether a retry may succeed. */
const SENTENCES: Record<string, [detail: string, retryable: boolean]> = {
  ENOTFOUND: ['The host name could not be resolved.', true],
  EAI_AGAIN: ['The host name could not be resolved.', true],
  ECONNREFUSED: ['The connection was refused.', true],
  UND_ERR_CONNECT_TIMEOUT: ['The server accepted no connection in time.', true],
  UND_ERR_HEADERS_TIMEOUT: ['The server did not answer in time.', true],
  UND_ERR_BODY_TIMEOUT: ['The server stopped sending.', true],
  UND_ERR_HEADERS_OVERFLOW: ['The response has too many headers.', false],
  UND_ERR_INVALID_ARG: ['The request is not valid.', false],
  UND_ERR_SOCKET: ['The connection was interrupted.', true],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['The response has another length than its Content-Length.', true],
  ECONNRESET: ['The connection was interrupted.', true],
};

/**
 * Converts any error of a request for the caller. A Failure and the reason of the caller's own signal are unchanged.
 * Every other error becomes URL_FETCH_FAILED without internal details in its sentence.
 */
export function asFetchFailure(error: unknown, callerSignal?: AbortSignal): unknown {
  if (error instanceof Failure) return error;
  if (error instanceof DeadlineError) return fetchFailure('The server did not answer in time.', true, error);
  if (callerSignal?.aborted === true) return callerSignal.reason;
  const code = readErrorCode(error);
  const known = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined;
  if (known !== undefined) return fetchFailure(...known, error);
  if (error instanceof errors.HTTPParserError) return fetchFailure('The response is not valid HTTP.', false, error);
  if (/^(EPROTO|ERR_SSL_)/.test(code)) return fetchFailure('The TLS connection failed.', false, error);
  if (isCertificateError(code)) return fetchFailure('The certificate of the server is not valid.', false, error);
  return fetchFailure('The server could not be reached.', true, error);
}

/** OpenSSL's verification results and Node's own name check. */
function isCertificateError(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code);
}

/** The code of an error; after attempts on several addresses, the code of the last attempt. */
function readErrorCode(error: unknown): string {
  if (error instanceof AggregateError) return readErrorCode(error.errors.at(-1));
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Codes of errors before the first sent byte of a request. EPROTO is not included, since it may occur at any time. */
const NEVER_SENT = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
]);

/** Whether an error proves that the server received nothing of the request. Requires a new connection for the request. */
export function wasNeverSent(error: unknown): boolean {
  if (error instanceof Failure) return error.code === 'URL_NOT_ALLOWED';
  const code = readErrorCode(error);
  return NEVER_SENT.has(code) || isCertificateError(code);
}
