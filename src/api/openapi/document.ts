import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { OPERATIONS } from '../operations.ts';
import type { Operation } from '../rest/operation.ts';
import { SHARED_HEADERS } from '../rest/shared-headers.ts';
import { TAGS } from '../rest/tags.ts';
import { eventWebhooks } from './event-webhooks.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

const DESCRIPTION = `Burnish enhances images and PDFs durably: it carries out every request that it answers with 202.

## Send a file

Send the bytes of a JPEG, PNG, TIFF, HEIC, WebP, AVIF, GIF, BMP or PDF. \`enhancements\` orders work in the same request, and \`Prefer: wait=30\` waits for the result:

\`\`\`sh
curl "$BURNISH/v1/uploads?filename=photo.jpg&enhancements=%5B%7B%22upscalingFactor%22%3A%22X2%22%7D%5D" \\
  -H "x-api-key: $KEY" -H "Prefer: wait=30" -H "Content-Type: image/jpeg" --data-binary @photo.jpg
\`\`\`

The record in the answer has \`enhancements\`. A finished enhancement has \`fullUrl\`, the download of the result, which needs no key. After 202, read \`Location\` again, follow \`/v1/uploads/{id}/events\`, or register a webhook.

[createUpload](#/Uploads/createUpload) also accepts a form with a file, and a URL as JSON. [createSignedUpload](#/Uploads/createSignedUpload) lets a browser send the file without a key.

## Keys and scopes

Every request under \`/v1\` needs an API key in the header \`x-api-key\`, or as \`Authorization: Bearer\`. The gateway checks the key first. It answers 401 without a valid key, and 429 after 60 failures of an IP address in a minute. A valid key from that address is still accepted. Each operation names its scope and refuses keys without it with \`FORBIDDEN\`. Operations under \`/v1/operator\` accept only the operator's key. A change that starts work returns 202, \`Location\` and the record. A change that is complete returns 201, 200 or 204.

## Repeated requests

Every change, except those of the operator, accepts an \`Idempotency-Key\`, which is remembered for 24 hours. A repeated request with the same key has no further effect. It returns the record in its current state, with the header \`Idempotent-Replayed: true\`. During the first request, a repetition is refused with 409 and \`IDEMPOTENCY_KEY_IN_FLIGHT\`. Repeat it after the seconds in \`Retry-After\`. Repetitions at different gateways or in GraphQL have one effect, and each returns the record. A different request with the key is refused with 422 and \`IDEMPOTENCY_KEY_REUSED\`. Secrets that are shown once are \`null\` in the response to a repetition. A repetition does not create a deleted record again, and returns \`NOT_FOUND\`. A request that creates an upload without a key gets a key in the response header \`Idempotency-Key\`. Repeat the request with this key after a 5xx.

## Errors

Times are ISO 8601 in UTC. Errors are \`application/problem+json\` (RFC 9457) with a code, the remedy, and \`retryable\`. [All codes](/docs/errors)

\`UNAVAILABLE\` names the unavailable part, with \`Retry-After\`: the database, storage, a disk, the workflow service, or capacity for one more upload.`;

/** The description of the REST interface as OpenAPI 3.1, from its operations. */
export function openApiDocument({ publicUrl, version }: { publicUrl: string; version: string }): OpenApiDocument {
  const document = {
    openapi: '3.1.0' as const,
    info: {
      title: 'Burnish',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: describePaths(OPERATIONS),
    webhooks: eventWebhooks,
    components: {
      headers: SHARED_HEADERS,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The same key as `Authorization: Bearer`.' },
      },
    },
  } satisfies ZodOpenApiObject;
  return createDocument(document, { override: withoutZodsOwnLimits });
}

/**
 * Zod bounds each integer by the safe integers of JavaScript, which readers and examples would take for the field's own, and repeats the
 * format of each time as a pattern of 250 characters. Generated C# applies such a pattern to its dates, and does not compile.
 */
const withoutZodsOwnLimits: ZodOpenApiOverride = ({ jsonSchema }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'date') delete jsonSchema.pattern;
};

function describePaths(operations: readonly Operation<never>[]): ZodOpenApiPathsObject {
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
