import { createDocument } from 'zod-openapi';
import { FAILURES } from '../../domain/failures.ts';
import { accountPaths } from './account-paths.ts';
import { enhancementPaths } from './enhancement-paths.ts';
import { otherPaths } from './other-paths.ts';
import { previewPaths } from './preview-paths.ts';
import { scopedPaths } from './scoped-paths.ts';
import { signedUploadPaths } from './signed-upload-paths.ts';
import { uploadPaths } from './upload-paths.ts';
import { webhookPaths } from './webhook-paths.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

const codes = Object.entries(FAILURES)
  .map(
    ([code, { httpStatus, retryable, sentence }]) =>
      `| \`${code}\` | ${httpStatus} | ${retryable ? 'yes' : 'no'} | ${sentence} |`,
  )
  .join('\n');

const DESCRIPTION = `Burnish enhances images and PDFs, durably: what has been answered with 202 will be carried out.

Every request under \`/v1\` carries its key in the header \`x-api-key\`. The key is checked before anything else: without a good one the answer is 401, or 429 for an address that failed more than 60 times in a minute. A good key from that address goes on. Each operation names the scope that its key needs; with another key it is refused with \`FORBIDDEN\`. A change that begins work answers 202 with \`Location\` and the record, one that is done at once 201, 200 or 204.

Every change takes an \`Idempotency-Key\`, which is remembered for 24 hours: the same key with the same request changes nothing more and is answered with the record as it then stands; with another request it is refused. Secrets that are shown once are not kept for repetitions: there they are \`null\`. What has been deleted since is not made again: the repetition is answered with \`NOT_FOUND\`. A request that makes an upload and brings no key gets one in the header \`Idempotency-Key\` of its answer, whatever the answer is: repeat the request with it after a 5xx.

Times are ISO 8601 in UTC. Errors are \`application/problem+json\` (RFC 9457) with a code of this list:

| Code | HTTP | Retry can help | Meaning |
|---|---|---|---|
${codes}

\`UNAVAILABLE\` says which part is away, with \`Retry-After\`: the database, storage, a disk, the workflow service, or room for one more upload.`;

/** The description of the REST interface as OpenAPI 3.1, from the schemas that check the requests. */
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
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Uploads', description: 'A file from its first byte to its deletion.' },
      { name: 'Enhancements', description: 'What is made of an upload; any number of times.' },
      { name: 'Previews', description: 'What people look at.' },
      { name: 'Credits', description: 'What it costs.' },
      { name: 'Webhooks', description: 'Who hears of events, and what was sent.' },
      { name: 'Account', description: 'Keys and settings.' },
      { name: 'Files', description: 'Downloads.' },
      { name: 'Health', description: 'For whoever runs the instance.' },
    ],
    paths: scopedPaths({
      ...uploadPaths,
      ...signedUploadPaths,
      ...enhancementPaths,
      ...previewPaths,
      ...accountPaths,
      ...webhookPaths,
      ...otherPaths,
    }),
    components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
  });
}
