import { isFailureCode } from '@burnish/contract';
import { CallFailure, keyRefused, rejected, retryAfter, unavailable } from './call-failure.ts';
import { z } from 'zod';

const MAX_MESSAGE_LENGTH = 300;
/** Codes that servers use for internal errors, independent of the request. */
const INTERNAL_CODES = ['INTERNAL', 'INTERNAL_SERVER_ERROR'];
const KEY_CODES = ['UNAUTHENTICATED', 'UNAUTHORIZED', 'FORBIDDEN'];
/** Codes for which a later retry of the same call may succeed. Every other refusal is final. */
const PASSING_CODES = ['RATE_LIMITED', 'PROVIDER_UNAVAILABLE'];

export interface AnsweredCall {
  status: number;
  /** The body as parsed JSON; undefined for any other body */
  body: unknown;
  retryAfterMs: number | null;
}

/** Converts a response of the hosted service with errors, without data, or with a status other than 2xx. */
export function answerFailure({ status, body, retryAfterMs }: AnsweredCall, secret: string): CallFailure {
  const errors = graphqlErrors(body);
  const first = errors[0];
  if (status === 401 || status === 403 || errors.some(isAboutKey)) return keyRefused();
  if (status === 429 || first?.code === 'RATE_LIMITED') {
    const ms = retryAfterMs ?? first?.retryAfterMs ?? null;
    return new CallFailure('RATE_LIMITED', {
      detail: 'The hosted service limits the rate of requests.',
      ...retryAfter(ms),
    });
  }
  if (first !== undefined) return ofGraphqlError(first, retryAfterMs, secret);
  if (status >= 500 || status === 408 || status === 425) {
    // A service that sends Retry-After has rejected the call. Any other service may have failed while it executed the call.
    const mayHaveActed = !(status === 503 && retryAfterMs !== null);
    return unavailable(`The hosted service answered with status ${status}.`, {
      mayHaveActed,
      ...retryAfter(retryAfterMs),
    });
  }
  if (status >= 200 && status <= 299) {
    const detail = 'The response of the hosted service cannot be read.';
    return unavailable(detail, { mayHaveActed: true });
  }
  return rejected(`The hosted service answered with status ${status}.`);
}

function ofGraphqlError(error: GraphqlErrorBody, retryAfterMs: number | null, secret: string): CallFailure {
  const { code } = error;
  const detail = `The hosted service reported: ${publicMessage(error.message, secret)}`;
  const wait = retryAfter(retryAfterMs ?? error.retryAfterMs);
  if (code !== null && INTERNAL_CODES.includes(code))
    return unavailable(detail, { mayHaveActed: true, answered: true, ...wait });
  if (!isFailureCode(code)) return rejected(detail);
  return new CallFailure(code, { detail, retryable: PASSING_CODES.includes(code), ...wait });
}

/** Some services have no code for this error, and only a message. */
function isAboutKey({ code, message }: GraphqlErrorBody): boolean {
  if (code !== null) return KEY_CODES.includes(code);
  return /\b(unauthori[sz]ed|unauthenticated|not authori[sz]ed|authentication|api[- ]?key)\b/i.test(message);
}

/** Sanitizes a message: one line of bounded length, without control characters, URLs and the key. */
function publicMessage(message: string, secret: string): string {
  const text = message
    .replaceAll(secret, '…')
    .replace(/https?:\/\/\S+/gi, '<address>')
    .replace(/[\p{Cc}\p{Cf}\p{Surrogate}\s]+/gu, ' ')
    .trim();
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
}

export interface GraphqlErrorBody {
  message: string;
  code: string | null;
  retryAfterMs: number | null;
}

const seconds = z.coerce.number().min(0).max(86_400);
const errorSchema = z.object({
  message: z.string().catch('no message'),
  extensions: z
    .object({
      code: z.string().max(100).nullable().catch(null),
      retryAfter: seconds.nullable().catch(null),
      retryAfterSeconds: seconds.nullable().catch(null),
    })
    .nullable()
    .catch(null),
});
const errorsSchema = z.object({ errors: z.array(errorSchema).min(1) });

/** Parses the errors of a response; empty for a response without errors, or one that is not GraphQL. Reads at most the first 10. */
export function graphqlErrors(body: unknown): GraphqlErrorBody[] {
  const { data } = errorsSchema.safeParse(firstErrors(body));
  return (data?.errors ?? []).map(({ message, extensions }) => {
    const wait = extensions?.retryAfter ?? extensions?.retryAfterSeconds ?? null;
    return {
      message: message.slice(0, 2_000),
      code: extensions?.code ?? null,
      retryAfterMs: wait === null ? null : wait * 1000,
    };
  });
}

function firstErrors(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('errors' in body) || !Array.isArray(body.errors)) return body;
  return { errors: body.errors.slice(0, 10) as unknown[] };
}
