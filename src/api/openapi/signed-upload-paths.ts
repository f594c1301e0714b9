import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { signedUploadSchema, uploadSchema } from '../uploads/upload-schemas.ts';
import { createSignedUploadBody } from '../uploads/upload-requests.ts';
import { acceptedAnswer, idempotencyHeader, problems, refused, requestIdHeader } from './responses.ts';

const path = z.object({
  id: z.string().meta({ description: 'Id of the upload', example: 'upl_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
});
const query = z.object({ token: z.string().meta({ description: 'Signature, valid for 1 hour' }) });
const bytes = { schema: { type: 'string', format: 'binary' } } as const;

/** Uploads whose bytes come straight from a browser or curl, in three steps. */
export const signedUploadPaths: ZodOpenApiPathsObject = {
  '/v1/uploads/signed': {
    post: {
      operationId: 'createSignedUpload',
      tags: ['Uploads'],
      summary: 'Announce a file that comes by PUT to a signed URL',
      description: [
        'Step 1 of 3. The answer holds `uploadUrl`, which takes one PUT of the file within an hour; then `complete` is called.',
        'A file that has not been completed by then makes the upload UPLOAD_FAILED with `SIGNED_URL_EXPIRED`, and no bytes stay behind.',
      ].join('\n\n'),
      requestParams: { header: idempotencyHeader },
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: createSignedUploadBody,
            example: { filename: 'photo.jpg', filesize: 2_400_000, mimetype: 'image/jpeg' },
          },
        },
      },
      responses: {
        '202': acceptedAnswer('The upload, which is UPLOAD_PENDING, and its URL.', signedUploadSchema),
        ...problems(
          'FILE_TOO_SMALL',
          'FILE_TOO_LARGE',
          'UNSUPPORTED_MEDIA_TYPE',
          'URL_NOT_ALLOWED',
          'TARGET_RESOLUTION_EXCEEDS_PLAN',
        ),
      },
    },
  },
  '/uploads/{id}': {
    put: {
      security: [],
      operationId: 'putFile',
      tags: ['Files'],
      summary: 'Send a file to its signed URL',
      description:
        'Step 2 of 3. The URL comes as `uploadUrl` and is not made by hand. The `Content-Type` is the declared type. One PUT succeeds; one that broke off may be repeated. A file that is longer than declared makes the upload UPLOAD_FAILED with `UPLOAD_MISMATCH`. Browsers may send from any page.',
      requestParams: { path, query },
      requestBody: { required: true, content: { 'image/*': bytes, 'application/pdf': bytes } },
      responses: {
        '200': {
          description: 'The file has arrived.',
          headers: { ...requestIdHeader, ETag: { description: 'SHA-256 of the file', schema: { type: 'string' } } },
        },
        '400': refused('The request cannot be read.'),
        '403': refused(
          'The URL has expired (`SIGNED_URL_EXPIRED`), has been used (`SIGNED_URL_USED`), or was never handed out.',
        ),
        '413': refused('The file is longer than declared.'),
        '415': refused('The Content-Type is not the declared one.'),
        '429': refused('The file is being sent already.'),
        '500': refused('Something went wrong on our side.'),
        '503': refused('Nothing takes the file just now; try again.'),
      },
    },
    options: {
      security: [],
      operationId: 'allowPutFile',
      tags: ['Files'],
      summary: 'What a browser asks before it sends a file',
      requestParams: { path },
      responses: { '204': { description: 'It may, from any page.', headers: requestIdHeader } },
    },
  },
  '/v1/uploads/{id}/complete': {
    post: {
      operationId: 'completeSignedUpload',
      tags: ['Uploads'],
      summary: 'Say that the file has been sent to its signed URL',
      description:
        'Step 3 of 3. A file whose size or content is not what was declared makes the upload UPLOAD_FAILED with `UPLOAD_MISMATCH`. Before a file has come it is refused, and changes nothing.',
      requestParams: { path, header: idempotencyHeader },
      responses: { '202': acceptedAnswer('The upload as it now stands.', uploadSchema), ...problems('NOT_FOUND') },
    },
  },
};
