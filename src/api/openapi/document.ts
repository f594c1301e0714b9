import { createDocument } from 'zod-openapi';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { FAILURES } from '../../domain/failures.ts';
import { OPERATIONS } from '../operations.ts';
import { TAGS } from '../rest/operation.ts';
import type { Operation } from '../rest/operation.ts';
import { eventWebhooks } from './event-webhooks.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

const codes = Object.entries(FAILURES)
  .map(
    ([code, { httpStatus, retryable, sentence }]) =>
      `| \`${code}\` | ${httpStatus} | ${retryable ? 'yes' : 'no'} | ${sentence} |`,
  )
  .join('\n');

const DESCRIPTION = `Burnish enhances images and PDFs, durably: a request that was answered with 202 will be carried out.

Every request under \`/v1\` carries its key in the header \`x-api-key\`, or as \`Authorization: Bearer\`. The key is checked before anything else: without a valid key the answer is 401, or 429 for an address that failed more than 60 times in a minute. A valid key from that address goes on. Each operation names the scope that its key needs; another key is refused with \`FORBIDDEN\`. Operations under \`/v1/operator\` take the operator's key and no other. A change that begins work is answered with 202, \`Location\` and the record. A change that is made at once is answered with 201, 200 or 204.

Every change, except those of the operator, takes an \`Idempotency-Key\`, which is remembered for 24 hours. The same key with the same request changes nothing more: the answer is the record in its present state. While the first request with a key is still under way, another one is refused with 409 and \`IDEMPOTENCY_KEY_IN_FLIGHT\`: repeat it after the seconds in \`Retry-After\`, and it gets the record. Where the two meet different gateways, or are GraphQL, they have one effect, and each gets the record. With another request the key is refused with 422 and \`IDEMPOTENCY_KEY_REUSED\`. Secrets that are shown once are \`null\` in the answer to a repetition. A repetition does not create a deleted record again: the answer is \`NOT_FOUND\`. A request that creates an upload without a key gets one in the header \`Idempotency-Key\` of its answer, whatever the answer is: repeat the request with it after a 5xx.

Times are ISO 8601 in UTC. Errors are \`application/problem+json\` (RFC 9457) with a code of this list:

| Code | HTTP | Retry can help | Meaning |
|---|---|---|---|
${codes}

\`UNAVAILABLE\` names the part that is away, with \`Retry-After\`: the database, storage, a disk, the workflow service, or capacity for one more upload.`;

/** The description of the REST interface as OpenAPI 3.1, from its operations. */
export function openApiDocument({ publicUrl, version }: { publicUrl: string; version: string }): OpenApiDocument {
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Burnish',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(OPERATIONS),
    webhooks: eventWebhooks,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The same key as `Authorization: Bearer`.' },
      },
    },
  });
}

function pathsOf(operations: readonly Operation<never>[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const each of operations) paths[each.path] = { ...paths[each.path], [each.method]: describe(each) };
  return paths;
}

function describe(operation: Operation<never>): ZodOpenApiOperationObject {
  const { operationId, tag, summary, description, parameters, query, headers, requestBody, responses } = operation;
  const requestParams = {
    ...(parameters && { path: parameters }),
    ...(query && { query }),
    ...(headers && { header: headers }),
  };
  return {
    ...(operation.scope === undefined ? { security: [] } : { 'x-scope': operation.scope }),
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(Object.keys(requestParams).length === 0 ? {} : { requestParams }),
    ...(requestBody && { requestBody }),
    responses,
  };
}
