import { z } from 'zod';
import { builder } from '../graphql/builder.ts';
import { restText } from '../graphql/described-schema.ts';
import { restInput } from '../graphql/rest-inputs.ts';
import { type SchemaPart, uploadMutation } from '../graphql/root-fields.ts';
import { uploadInputShape } from '../uploads/upload-input.ts';
import { toUploadOrder } from '../uploads/upload-order-schemas.ts';
import { createSignedUploadBody, signedUploadSchema } from './signed-upload-schemas.ts';
import type { SignedUploadNeeds } from './signed-upload-commands.ts';

const signedUploadInput = createSignedUploadBody
  .pick({ filename: true, filesize: true, mimetype: true })
  .extend({ ...uploadInputShape, filename: createSignedUploadBody.shape.filename })
  .meta({ description: restText(createSignedUploadBody) });

restInput('CreateSignedUploadUrlInput', signedUploadInput);

const SignedUploadUrl = builder
  .objectRef<{ uploadId: string; uploadUrl: string; expiresAt: string }>('SignedUploadUrl')
  .implement({
    description: 'A signed upload URL.',
    restSchema: signedUploadSchema,
    fields: (t) => ({
      uploadId: t.exposeID('uploadId', { description: restText(signedUploadSchema.shape.id) }),
      uploadUrl: t.exposeString('uploadUrl'),
      expiresAt: t.expose('expiresAt', {
        type: 'DateTime',
        description: restText(signedUploadSchema.shape.uploadUrlExpiresAt),
      }),
    }),
  });

export const signedUploadParts: SchemaPart[] = [
  uploadMutation('createSignedUploadUrl', {
    scope: 'uploads',
    type: SignedUploadUrl,
    description:
      'Step 1 of 3 of a signed upload: declares a file and returns the URL for its PUT. Errors: BAD_USER_INPUT, FILE_TOO_SMALL, FILE_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, STORAGE_LIMIT.',
    args: z.object({ input: signedUploadInput.meta({ description: 'File and options.' }) }),
    async handle({ caller, args, idempotencyKey }, { commands }: SignedUploadNeeds) {
      const { filename, filesize, mimetype, ...order } = args.input;
      const file = { filename, filesize, mimetype };
      const made = await commands.createSignedUpload(caller, { ...toUploadOrder(order), ...file }, idempotencyKey);
      return { uploadId: made.upload.id, uploadUrl: made.uploadUrl, expiresAt: made.expiresAt };
    },
  }),
];
