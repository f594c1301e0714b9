import { componentName } from '../schemas/fields.ts';
import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { FAILURE_CODES, FAILURES, type FailureCode } from '@burnish/contract';
import { problemTitle, problemType } from '../http/problem.ts';
import { requestIdHeader, sharedHeaders } from './shared-headers.ts';

const problemSchema = z
  .object({
    type: z.string().meta({ description: 'URL of the page about the code, relative to the instance.' }),
    title: z.string().meta({ description: 'Meaning of the code or of the status.' }),
    status: z.number().int(),
    detail: z.string().meta({ description: 'The fault in this case.' }),
    remedy: z.string().meta({ description: 'The remedy in this case.' }),
    code: z.enum(FAILURE_CODES),
    field: z.string().optional().meta({ description: 'Path of the invalid field.', example: 'enhancements[0].mode' }),
    retryable: z.boolean().meta({ description: 'Whether the same request can succeed later.' }),
    requestId: z.string().meta({ description: 'Id of the request for support, as in the header X-Request-Id.' }),
  })
  .meta({ id: 'Problem', description: 'An error as in RFC 9457, with its code.' });

const retryAfter = sharedHeaders('Retry-After');

/** Statuses with an optional `Retry-After`. */
const MAY_NAME_A_WAIT = [409, 429, 503];

/** Refusals of every operation that needs a key. */
const ALWAYS: FailureCode[] = ['BAD_USER_INPUT', 'UNAUTHENTICATED', 'RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL'];

export function problemResponses(...codes: FailureCode[]): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, FailureCode[]>();
  for (const code of new Set([...ALWAYS, ...codes])) {
    const { httpStatus } = FAILURES[code];
    byStatus.set(httpStatus, [...(byStatus.get(httpStatus) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, group]) => [String(status), problem(status, group)] as const));
}

/** Responses by the codes that they may have. Equal responses are one object, which the document describes once. */
const PROBLEMS = new Map<string, ZodOpenApiResponseObject>();

function problem(status: number, codes: FailureCode[]): ZodOpenApiResponseObject {
  const id = codes.map(componentName).sort().join('Or');
  const response = PROBLEMS.get(id) ?? { id, ...describeProblem(status, codes) };
  PROBLEMS.set(id, response);
  return response;
}

function describeProblem(status: number, codes: FailureCode[]): ZodOpenApiResponseObject {
  const first = codes[0]!;
  const lines = codes.map((code) => `\`${code}\`: ${FAILURES[code].sentence}`);
  const example = {
    type: problemType(first, status),
    title: problemTitle(first, status),
    status,
    detail: FAILURES[first].sentence,
    remedy: FAILURES[first].remedy,
    code: first,
    retryable: FAILURES[first].retryable,
    requestId: '7f3c2a52-6c1e-4b7e-9f57-2f0c3c9a9f11',
  };
  return {
    description: lines.join('\n\n'),
    headers: MAY_NAME_A_WAIT.includes(status) ? { ...requestIdHeader, ...retryAfter } : requestIdHeader,
    content: { 'application/problem+json': { schema: problemSchema, example } },
  };
}

/** A refusal with a description, for operations that need no key. */
export function refusal(description: string): ZodOpenApiResponseObject {
  return { description, content: { 'application/problem+json': { schema: problemSchema } } };
}
