import { createDocument } from 'zod-openapi';
import { FAILURES } from '../../domain/failures.ts';
import { enhancementPaths } from './enhancement-paths.ts';
import { otherPaths } from './other-paths.ts';
import { uploadPaths } from './upload-paths.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

const codes = Object.entries(FAILURES)
  .map(
    ([code, { httpStatus, retryable, sentence }]) =>
      `| \`${code}\` | ${httpStatus} | ${retryable ? 'yes' : 'no'} | ${sentence} |`,
  )
  .join('\n');

const DESCRIPTION = `Burnish enhances images and PDFs, durably: what has been answered with 202 will be carried out.

Every request under \`/v1\` carries its key in the header \`x-api-key\`. Every change answers 202 with \`Location\` and the record, and takes an \`Idempotency-Key\`.
Times are ISO 8601 in UTC. Errors are \`application/problem+json\` (RFC 9457) with a code of this list:

| Code | HTTP | Retry can help | Meaning |
|---|---|---|---|
${codes}

\`INTERNAL\` is answered with 503 and \`Retry-After\` when it will pass by itself.`;

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
      { name: 'Credits', description: 'What it costs.' },
      { name: 'Files', description: 'Downloads.' },
      { name: 'Health', description: 'For whoever runs the instance.' },
    ],
    paths: { ...uploadPaths, ...enhancementPaths, ...otherPaths },
    components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
  });
}
