import { getUploadIdempotencyKey } from '../http/request-context.ts';
import { accepted } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { toUploadOrder } from '../uploads/upload-order-schemas.ts';
import { representUpload, representUploadWithEnhancements, uploadSchema } from '../uploads/upload-schemas.ts';
import { createSignedUploadBody, signedUploadSchema } from './signed-upload-schemas.ts';
import type { SignedUploadNeeds } from './signed-upload-commands.ts';

const tag = 'Uploads';

export const signedUploadOperations = [
  operation({
    operationId: 'createSignedUpload',
    scope: 'uploads',
    method: 'post',
    path: '/v1/uploads/signed',
    tag,
    summary: 'Create a signed URL for the PUT of a file',
    description: [
      'Step 1 of 3. Send the file by PUT to `uploadUrl` within an hour. Then call `complete`.',
      'Otherwise the upload fails with `SIGNED_URL_EXPIRED` after the hour, and its file is deleted.',
    ].join('\n\n'),
    body: createSignedUploadBody,
    example: { filename: 'photo.jpg', filesize: 2_400_000, mimetype: 'image/jpeg' },
    createsUpload: true,
    answer: accepted('The upload with status UPLOAD_PENDING, and its URL.', signedUploadSchema),
    failures: [
      'FILE_TOO_SMALL',
      'FILE_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'URL_NOT_ALLOWED',
      'STORAGE_LIMIT',
      'TARGET_RESOLUTION_EXCEEDS_PLAN',
    ],
    async handle({ caller, body, req, res }, { commands, urls }: SignedUploadNeeds) {
      const { filename, filesize, mimetype, ...rest } = body;
      const order = { ...toUploadOrder(rest), filename, filesize, mimetype };
      const made = await commands.createSignedUpload(caller, order, getUploadIdempotencyKey(req, res));
      const { uploadUrl, expiresAt: uploadUrlExpiresAt } = made;
      return {
        location: `/v1/uploads/${made.upload.id}`,
        body: { ...representUploadWithEnhancements(made, urls), uploadUrl, uploadUrlExpiresAt },
      };
    },
  }),

  operation({
    operationId: 'completeSignedUpload',
    graphql: { field: 'completeSignedUpload' },
    scope: 'uploads',
    method: 'post',
    path: '/v1/uploads/{id}/complete',
    tag,
    summary: 'Complete a signed upload',
    description:
      'Step 3 of 3. A file with another size or content than declared fails the upload with `UPLOAD_MISMATCH`. Before the arrival of a file, the request is refused and has no effect.',
    parameters: idPath('upl'),
    answer: accepted('The upload in its current state.', uploadSchema),
    failures: ['NOT_FOUND', 'CONFLICT'],
    async handle({ caller, parameters: { id }, idempotencyKey }, { commands, urls }: SignedUploadNeeds) {
      const upload = await commands.completeSignedUpload(caller, id, idempotencyKey);
      return { location: `/v1/uploads/${upload.id}`, body: representUpload(upload, urls) };
    },
  }),
];
