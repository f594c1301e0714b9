import { isFailureCode, type FailureCode } from '@burnish/contract';
import type { Enhancement, Upload } from './types.ts';

/** Codes of failures that the client itself finds, beside those of the service. */
export type ClientCode = 'UNREACHABLE' | 'INVALID_RESPONSE' | 'INVALID_SIGNATURE' | 'CANCELLED';

export type BurnishErrorCode = FailureCode | ClientCode;

export interface BurnishErrorOptions {
  code: BurnishErrorCode;
  /** HTTP status; 0 without an answer */
  status?: number;
  /** Path of the wrong field, such as `enhancements[0].mode` */
  field?: string | undefined;
  /** Milliseconds after which a retry can help, from `Retry-After` */
  retryAfterMs?: number | undefined;
  /** The failed work, if there is any */
  upload?: Upload | undefined;
  enhancement?: Enhancement | undefined;
  cause?: unknown;
}

/** Why a call failed. The message says the fault and its remedy, and `code` tells failures apart. */
export class BurnishError extends Error {
  override readonly name = 'BurnishError';
  readonly code: BurnishErrorCode;
  readonly status: number;
  readonly field: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly upload: Upload | undefined;
  readonly enhancement: Enhancement | undefined;

  constructor(sentence: string, options: BurnishErrorOptions) {
    super(sentence, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.status = options.status ?? 0;
    this.field = options.field;
    this.retryAfterMs = options.retryAfterMs;
    this.upload = options.upload;
    this.enhancement = options.enhancement;
  }
}

/** Characters of a refusal's sentence. */
const MAX_DETAIL = 500;

/** The parts of a refused answer that its error is made of; both `fetch` and XMLHttpRequest have them. */
export interface Refusal {
  status: number;
  /** A problem document (RFC 9457), or anything else */
  text: string;
  /** Milliseconds, from `Retry-After` */
  retryAfterMs?: number | undefined;
}

/** The error of an answer other than 2xx. */
export function refusalError({ status, text, retryAfterMs }: Refusal, baseUrl: string): BurnishError {
  const problem = parse(text);
  const { code, field, detail, title, remedy } = problem;
  const fault =
    [detail, title].find(isText) ??
    `${baseUrl || 'Burnish'} answered with status ${status}. Check that an instance of Burnish has this URL.`;
  return new BurnishError(printable([fault, remedy].filter(isText).join(' ')), {
    code: isFailureCode(code) ? code : 'INVALID_RESPONSE',
    status,
    field: typeof field === 'string' ? field : undefined,
    retryAfterMs,
  });
}

/** Codes of Node.js for a host that is not there, or does not listen. */
const NO_LISTENER: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH'];

const CHANGED_FILE =
  'The file has changed while it was sent, or can no longer be read. Send it again once it is complete.';

/** The error of a call without an answer, or with an incomplete one. */
export function connectionError(cause: unknown, baseUrl: string): BurnishError {
  if (cause instanceof BurnishError) return cause;
  const inner = cause instanceof Error ? (cause.cause as { code?: unknown; name?: unknown } | undefined) : undefined;
  // Of a file that Node.js reads while it sends it.
  if (inner?.name === 'NotReadableError') return new BurnishError(CHANGED_FILE, { code: 'BAD_USER_INPUT', cause });
  return new BurnishError(describeConnection(baseUrl, inner?.code), { code: 'UNREACHABLE', cause });
}

function describeConnection(baseUrl: string, reason: unknown): string {
  if (baseUrl === '') return 'Burnish cannot be reached. Check that it is running.';
  if (NO_LISTENER.includes(reason))
    return `No instance responds at ${baseUrl}. Check the URL, and that Burnish is running.`;
  const cause = typeof reason === 'string' ? ` (${reason})` : '';
  return `The connection to ${baseUrl} was interrupted${cause}. Check the network, and try again.`;
}

const isText = (part: unknown): part is string => typeof part === 'string' && part !== '';

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A terminal executes control characters, so they are removed from an answer. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, MAX_DETAIL);
}
