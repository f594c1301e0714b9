import { builder } from '../graphql/builder.ts';
import { restText } from '../graphql/described-schema.ts';
import { knownId, parseInput, withInput } from '../graphql/input.ts';
import { UploadType } from '../graphql/record-types.ts';
import { uploadOrderFields } from '../uploads/upload-graphql.ts';
import { toUploadOrder, uploadOrderInputShape } from '../uploads/upload-order-schemas.ts';
import { representUpload } from '../uploads/upload-schemas.ts';
import { createSignedUploadBody, signedUploadSchema } from './signed-upload-schemas.ts';

const { enhancements, customMetadata } = uploadOrderInputShape;
const signedInputSchema = createSignedUploadBody.extend({ enhancements, customMetadata });

const CreateSignedUploadUrlInput = builder.inputType('CreateSignedUploadUrlInput', {
  restSchema: createSignedUploadBody,
  fields: (t) => ({
    filename: t.string({ required: true }),
    filesize: t.int({ required: true }),
    mimetype: t.string({ required: true }),
    ...uploadOrderFields(t),
  }),
});

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

builder.mutationFields((t) => ({
  createSignedUploadUrl: t.field({
    scope: 'uploads',
    type: SignedUploadUrl,
    nullable: true,
    description:
      'Step 1 of 3 of a signed upload: declares a file and returns the URL for its PUT. Errors: BAD_USER_INPUT, FILE_TOO_SMALL, FILE_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, STORAGE_LIMIT.',
    args: { input: t.arg({ type: CreateSignedUploadUrlInput, required: true, description: 'File and options.' }) },
    resolve: async (_root, { input }, { deps, caller, uploadKeyFor, admit }, info) => {
      const { filename, filesize, mimetype, ...order } = parseInput(signedInputSchema, input);
      const key = await uploadKeyFor(info);
      const { upload, uploadUrl, expiresAt } = await withInput(() =>
        admit(() =>
          deps.commands.createSignedUpload(caller, { ...toUploadOrder(order), filename, filesize, mimetype }, key),
        ),
      );
      return { uploadId: upload.id, uploadUrl, expiresAt };
    },
  }),
  completeSignedUpload: t.field({
    scope: 'uploads',
    type: UploadType,
    nullable: true,
    description:
      'Step 3 of 3 of a signed upload: verifies the file after its PUT. A file that differs from its declaration fails with UPLOAD_MISMATCH. Errors: NOT_FOUND, CONFLICT before the PUT.',
    restSchema: signedUploadSchema,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
      representUpload(
        await deps.commands.completeSignedUpload(caller, knownId('upl', id), await keyFor(info)),
        deps.addresses,
      ),
  }),
}));
