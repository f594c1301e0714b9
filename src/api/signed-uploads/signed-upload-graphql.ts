import { z } from 'zod';
import { restText } from '../graphql/described-schema.ts';
import { recordType } from '../graphql/rest-types.ts';
import { type SchemaPart, uploadMutation } from '../graphql/root-fields.ts';
import { uploadInputShape } from '../uploads/upload-input.ts';
import { toUploadOrder } from '../uploads/upload-order-schemas.ts';
import { createSignedUploadBody, signedUploadSchema } from './signed-upload-schemas.ts';
import type { SignedUploadNeeds } from './signed-upload-commands.ts';

const signedUploadInput = createSignedUploadBody
  .extend({ ...uploadInputShape, filename: createSignedUploadBody.shape.filename })
  .meta({ id: 'CreateSignedUploadUrl', description: restText(createSignedUploadBody) });

const { id: uploadId, uploadUrl, uploadUrlExpiresAt: expiresAt } = signedUploadSchema.shape;
const signedUploadUrl = z
  .object({ uploadId, uploadUrl, expiresAt })
  .meta({ id: 'SignedUploadUrl', description: 'A signed upload URL.' });

/** The contract has the address of a new upload without its record. */
export const signedUploadParts: SchemaPart[] = [
  uploadMutation('createSignedUploadUrl', {
    scope: 'uploads',
    type: recordType(signedUploadUrl),
    description:
      'Step 1 of 3 of a signed upload: declares a file and returns the URL for its PUT. Errors: BAD_USER_INPUT, FILE_TOO_SMALL, FILE_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, STORAGE_LIMIT.',
    args: z.object({ input: signedUploadInput }),
    async handle({ caller, args, idempotencyKey }, { commands }: SignedUploadNeeds) {
      const { filename, filesize, mimetype, ...order } = args.input;
      const file = { filename, filesize, mimetype };
      const made = await commands.createSignedUpload(caller, { ...toUploadOrder(order), ...file }, idempotencyKey);
      return { uploadId: made.upload.id, uploadUrl: made.uploadUrl, expiresAt: made.expiresAt };
    },
  }),
];
