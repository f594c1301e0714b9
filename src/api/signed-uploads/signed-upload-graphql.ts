import { builder } from '../graphql/builder.ts';
import { knownId, parseInput, withInput } from '../graphql/input.ts';
import { UploadType } from '../graphql/record-types.ts';
import { uploadOrderFields } from '../uploads/upload-graphql.ts';
import { toUploadOrder, uploadOrderInputShape, representUpload } from '../uploads/upload-schemas.ts';
import { createSignedUploadBody } from './signed-upload-schemas.ts';

const { enhancements, customMetadata } = uploadOrderInputShape;
const signedInputSchema = createSignedUploadBody.extend({ enhancements, customMetadata });

const CreateSignedUploadUrlInput = builder.inputType('CreateSignedUploadUrlInput', {
  description: 'A file that will be sent by PUT to a signed URL.',
  fields: (t) => ({
    filename: t.string({ required: true, description: 'Name of the file, 1 to 255 characters.' }),
    filesize: t.int({
      required: true,
      description:
        'Exact size in bytes: 20000 to 50000000 for images, 20000 to 1000000000 for PDFs. FILE_TOO_SMALL, FILE_TOO_LARGE.',
    }),
    mimetype: t.string({
      required: true,
      description:
        'MIME type of the content: image/jpeg, image/png, image/tiff, image/heic, image/webp, image/avif, image/gif, image/bmp or application/pdf. UNSUPPORTED_MEDIA_TYPE for others.',
    }),
    ...uploadOrderFields(t),
  }),
});

const SignedUploadUrl = builder
  .objectRef<{ uploadId: string; uploadUrl: string; expiresAt: string }>('SignedUploadUrl')
  .implement({
    description: 'Where to send a file to.',
    fields: (t) => ({
      uploadId: t.exposeID('uploadId', { description: 'The upload, for `completeSignedUpload` and all that follows.' }),
      uploadUrl: t.exposeString('uploadUrl', {
        description:
          'Takes one PUT of the raw bytes, without an API key. `Content-Type` has to be the declared MIME type. Good for 1 hour.',
      }),
      expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the address stops being good.' }),
    }),
  });

builder.mutationFields((t) => ({
  createSignedUploadUrl: t.field({
    scope: 'uploads',
    type: SignedUploadUrl,
    nullable: true,
    description:
      'Step 1 of 3 of a signed upload: announces a file and gives an address to PUT it to. Errors: BAD_USER_INPUT, FILE_TOO_SMALL, FILE_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE.',
    args: { input: t.arg({ type: CreateSignedUploadUrlInput, required: true, description: 'What will be sent.' }) },
    resolve: async (_root, { input }, { deps, caller, createKeyFor, admit }, info) => {
      const { filename, filesize, mimetype, ...order } = parseInput(signedInputSchema, input);
      const key = await createKeyFor(info);
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
      'Step 3 of 3 of a signed upload, after the PUT. A file that is not what was announced makes the upload UPLOAD_FAILED with `errorCode` UPLOAD_MISMATCH. Errors: NOT_FOUND, BAD_USER_INPUT while no file has come.',
    args: { id: t.arg.id({ required: true, description: 'The `uploadId` of step 1.' }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
      representUpload(
        await deps.commands.completeSignedUpload(caller, knownId('upl', id), await keyFor(info)),
        deps.addresses,
      ),
  }),
}));
