import { representUpload } from '../../uploads/upload-schemas.ts';
import { toUploadOrder } from '../../uploads/upload-orders.ts';
import { builder } from '../builder.ts';
import { knownId, parseInput, signedInputSchema, urlInputSchema, withInput } from '../input.ts';
import { CreateSignedUploadUrlInput, CreateUploadFromUrlInput } from '../inputs.ts';
import { AnalyzePdfPayload, DeleteUploadsPayload, SignedUploadUrl } from '../types/payloads.ts';
import { UploadType } from '../record-types.ts';

builder.mutationFields((t) => ({
  createUploadFromUrl: t.field({
    type: UploadType,
    nullable: true,
    description:
      'Begins an upload of a file at an address. Poll `upload`, or wait for `upload.status_update`. Errors: BAD_USER_INPUT, URL_NOT_ALLOWED; what comes later is in `errorCode`.',
    args: { input: t.arg({ type: CreateUploadFromUrlInput, required: true, description: 'What to fetch.' }) },
    resolve: async (_root, { input }, { deps, caller, createKeyFor, admit }, info) => {
      const { url, ...order } = parseInput(urlInputSchema, input);
      const key = await createKeyFor(info);
      const { upload } = await withInput(() =>
        admit(() => deps.commands.createUploadFromUrl(caller, { ...toUploadOrder(order), url }, key)),
      );
      return representUpload(upload, deps.addresses);
    },
  }),
  createSignedUploadUrl: t.field({
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
  analyzePdf: t.field({
    type: AnalyzePdfPayload,
    nullable: true,
    description:
      'Runs the analysis of a PDF again after METADATA_ANALYZED_FAILED; changes nothing while one runs or after one that succeeded. Errors: NOT_FOUND, BAD_USER_INPUT for an image.',
    args: { uploadId: t.arg.id({ required: true, description: 'Id of the upload.' }) },
    resolve: async (_root, { uploadId }, { deps, caller, keyFor }, info) => {
      await deps.commands.analyzeAgain(caller, knownId('upl', uploadId), await keyFor(info));
      return { success: true };
    },
  }),
  deleteUploads: t.field({
    type: DeleteUploadsPayload,
    nullable: true,
    description:
      'Deletes uploads at once: originals and results go, running enhancements are cancelled and their credits released. Errors: BAD_USER_INPUT for more than 100 ids.',
    args: { ids: t.arg.idList({ required: true, description: 'Ids of 1 to 100 uploads.' }) },
    resolve: async (_root, { ids }, { deps, caller, keyFor }, info) => ({
      deletedUploadIds: await deps.commands.deleteUploads(caller, ids, await keyFor(info)),
    }),
  }),
}));
