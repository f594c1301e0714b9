import type { ZodType } from 'zod';
import { z } from 'zod';
import type { ZodOpenApiHeadersObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { FAILURE_CODES, FAILURES } from '../../domain/failures.ts';
import type { FailureCode } from '../../domain/failures.ts';
import { problemTitle } from '../http/problem-title.ts';
import { MAX_WAIT_SECONDS } from '../rest/preferred-wait.ts';
import { idempotencyKey } from '../uploads/upload-requests.ts';

export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string().meta({ description: 'What the code or the status means.' }),
    status: z.number().int(),
    detail: z.string().meta({ description: 'What is wrong in this case.' }),
    remedy: z.string().meta({ description: 'A way to avoid or mend the failure.' }),
    code: z.enum(FAILURE_CODES),
    field: z.string().optional().meta({ description: 'Path of the field at fault.', example: 'enhancements[0].mode' }),
    retryable: z.boolean().meta({ description: 'Whether the same request may do better another time.' }),
    requestId: z.string().meta({ description: 'For support; also in the header X-Request-Id.' }),
  })
  .meta({ id: 'Problem', description: 'An error as RFC 9457 describes it, with its code.' });

export const requestIdHeader: ZodOpenApiHeadersObject = {
  'X-Request-Id': { description: 'Id of this request', schema: { type: 'string' } },
};
const rateHeaders: ZodOpenApiHeadersObject = {
  ...requestIdHeader,
  'RateLimit-Limit': { description: 'Requests a minute', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Requests left in this minute', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the minute is over', schema: { type: 'integer' } },
};
const retryAfter: ZodOpenApiHeadersObject = {
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } },
};

/** The refusals of every operation that needs a key. */
const ALWAYS: FailureCode[] = ['BAD_USER_INPUT', 'UNAUTHENTICATED', 'RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL'];

/** Responses for refusals, one for each HTTP status, each with its codes. */
export function problems(...codes: FailureCode[]): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, FailureCode[]>();
  for (const code of new Set([...ALWAYS, ...codes])) {
    const { httpStatus } = FAILURES[code];
    byStatus.set(httpStatus, [...(byStatus.get(httpStatus) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, group]) => [String(status), problem(status, group)] as const));
}

function problem(status: number, codes: FailureCode[]): ZodOpenApiResponseObject {
  const first = codes[0]!;
  const lines = codes.map((code) => `\`${code}\`: ${FAILURES[code].sentence}`);
  const example = {
    type: 'about:blank',
    title: problemTitle(first, status),
    status,
    detail: FAILURES[first].sentence,
    code: first,
    retryable: FAILURES[first].retryable,
    requestId: '7f3c2a52-6c1e-4b7e-9f57-2f0c3c9a9f11',
  };
  return {
    description: lines.join('\n\n'),
    headers: status === 503 || status === 429 ? { ...requestIdHeader, ...retryAfter } : requestIdHeader,
    content: { 'application/problem+json': { schema: problemSchema, example } },
  };
}

/** A refusal that is described in words, for what needs no key. */
export function refused(description: string): ZodOpenApiResponseObject {
  return { description, content: { 'application/problem+json': { schema: problemSchema } } };
}

/** A successful answer with a JSON body. */
export function answer(description: string, schema: ZodType): ZodOpenApiResponseObject {
  return { description, headers: rateHeaders, content: { 'application/json': { schema } } };
}

/** The answer to a change that is carried out once, with the address of its record. */
export function acceptedAnswer(description: string, schema: ZodType): ZodOpenApiResponseObject {
  const location: ZodOpenApiHeadersObject = {
    Location: { description: 'Address of the record', schema: { type: 'string' } },
  };
  return { ...answer(description, schema), headers: { ...rateHeaders, ...location } };
}

/** The answer when a record is gone. */
export function goneAnswer(description: string): ZodOpenApiResponseObject {
  return { description, headers: rateHeaders };
}

/** A page of a list. */
export function pageAnswer(item: ZodType): ZodOpenApiResponseObject {
  const next = z.string().nullable().meta({ description: 'Hand it back as `after`; null on the last page.' });
  return answer('A page. The header `Link` names the next one.', z.object({ items: z.array(item), next }));
}

/** A list that is never long enough for a second page. */
export function listAnswer(item: ZodType): ZodOpenApiResponseObject {
  return answer('All of them, oldest first.', z.object({ items: z.array(item), next: z.null() }));
}

/** The answer to a caller that waited for the result, with the address of the record. */
export function finishedAnswer(description: string, schema: ZodType): ZodOpenApiResponseObject {
  return waitedAnswer(acceptedAnswer(description, schema));
}

/** An answer that says whether it has waited. */
export function waitedAnswer(answered: ZodOpenApiResponseObject): ZodOpenApiResponseObject {
  const applied: ZodOpenApiHeadersObject = {
    'Preference-Applied': {
      description: 'The wait that the answer followed, such as `wait=30`',
      schema: { type: 'string' },
    },
  };
  return { ...answered, headers: { ...answered.headers, ...applied } };
}

export const preferHeader = z.object({
  Prefer: z
    .string()
    .optional()
    .meta({
      description: `RFC 7240: \`wait=30\` answers with the finished record as soon as there is one, or after 30 seconds with 202 as usual. At most ${MAX_WAIT_SECONDS} seconds count, and 20 requests of a key wait at once. The work goes before that of callers who do not wait, unless \`priority\` is BATCH.`,
      example: 'wait=30',
    }),
});

export const idempotencyHeader = z.object({ 'Idempotency-Key': idempotencyKey.optional() });
