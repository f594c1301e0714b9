import { isFailureCode, type FailureCode } from '../../domain/failures.ts';
import { parseRetryAfter } from '../../net/retry-after.ts';

export interface ClientErrorOptions {
  code?: FailureCode | undefined;
  /** Milliseconds before a retry; absent: a retry does not help */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** Why a call to an instance failed, in one sentence for the person at the terminal. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: FailureCode | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(sentence: string, { code, retryAfterMs, cause }: ClientErrorOptions = {}) {
    super(sentence, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Most of an answer that is read for the sake of its sentence, characters. */
const MAX_DETAIL = 500;

/** The error of an answer other than 2xx. Reads the body (`application/problem+json`, RFC 9457). */
export async function refusal(response: Response, baseUrl: string): Promise<ClientError> {
  const text = await response.text().catch(() => '');
  const problem = parse(text);
  const code = isFailureCode(problem['code']) ? problem['code'] : undefined;
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? undefined, Date.now()) ?? undefined;
  if (response.status === 401) {
    return new ClientError(`${baseUrl} refused the API key. Set a valid key with --api-key.`, { code });
  }
  const detail = [problem['detail'], problem['title']].find((part) => typeof part === 'string' && part !== '');
  const sentence = detail ?? `${baseUrl} answered with status ${response.status}, and may not be a Burnish instance.`;
  const explained = [sentence, problem['remedy']].filter((part) => typeof part === 'string').join(' ');
  return new ClientError(printable(explained), { code, retryAfterMs });
}

/** @returns the error of a call without an answer or with an incomplete one */
export function connectionLost(cause: unknown, baseUrl: string): ClientError {
  if (cause instanceof ClientError) return cause;
  const reason = cause instanceof Error ? (cause.cause as { code?: unknown } | undefined)?.code : undefined;
  const sentence =
    reason === 'ECONNREFUSED' || reason === 'ENOTFOUND' || reason === 'EHOSTUNREACH'
      ? `No instance responds at ${baseUrl}. Start one with \`burnish up\`, or set another URL with --url.`
      : `The connection to ${baseUrl} was interrupted${typeof reason === 'string' ? ` (${reason})` : ''}.`;
  return new ClientError(sentence, { cause });
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A terminal executes control characters, so they are removed from an answer. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, MAX_DETAIL);
}
