import { z } from 'zod';
import type { RecordedEnhancement } from '@burnish/contract';
import { requireRecord } from '../commands/checks.ts';
import { bucketName } from '../enhancements/destination-schemas.ts';
import { enhancementSchema, representEnhancement } from '../enhancements/enhancement-schemas.ts';
import type { FileUrls } from '../files/file-urls.ts';
import { builder } from '../graphql/builder.ts';
import { restText } from '../graphql/described-schema.ts';
import { restInput } from '../graphql/rest-inputs.ts';
import { recordType, restType } from '../graphql/rest-types.ts';
import { type SchemaPart, mutation, query, uploadMutation } from '../graphql/root-fields.ts';
import { idParameter, idPath } from '../rest/operation.ts';
import { passwordVariable, uploadInputShape } from './upload-input.ts';
import { sourceKey, sourceUrl, toUploadOrder } from './upload-order-schemas.ts';
import { deleteUploadsBody, representUpload, uploadSchema } from './upload-schemas.ts';
import type { UploadNeeds } from './upload-commands.ts';

/** Represents enhancements lazily, since each needs a signed URL. */
function* represented(enhancements: readonly RecordedEnhancement[], urls: FileUrls) {
  for (const each of enhancements) yield representEnhancement(each, urls);
}

const Upload = restType(uploadSchema, (t) => ({
  metadata: t.string({
    nullable: true,
    description: `${restText(uploadSchema.shape.metadata)} JSON text with \`totalCredits\` and \`statistics\`: \`pages\`, \`images\`, \`colorEligible\`, \`resizeEligible\`, \`kinds\`, \`signed\`, \`belowTarget\`, \`lowestReached\`, and \`credits\` with \`color\`, \`resize\` and \`colorAndResize\`.`,
    resolve: ({ metadata }) => metadata && JSON.stringify(metadata),
  }),
  enhancedImages: t.field({
    type: [recordType(enhancementSchema)],
    description: 'Enhancements of this upload: the newest 100, oldest first.',
    resolve: async ({ id }, _args, { loaders, deps }) =>
      represented(await loaders.enhancementsOfUpload.load(id), deps.urls),
  }),
}));

const fromUrl = z
  .strictObject({ url: sourceUrl, ...uploadInputShape })
  .meta({ description: 'A file that Burnish downloads.' });
const fromBucket = z
  .strictObject({ bucket: bucketName, key: sourceKey, ...uploadInputShape })
  .meta({ description: 'A file that Burnish reads from a registered bucket.' });

restInput('CreateUploadFromUrlInput', fromUrl);
restInput('CreateUploadFromBucketInput', fromBucket);

const DeleteUploadsPayload = builder.objectRef<{ deletedUploadIds: string[] }>('DeleteUploadsPayload').implement({
  description: 'Deleted uploads.',
  fields: (t) => ({
    deletedUploadIds: t.exposeIDList('deletedUploadIds', {
      description: 'Ids of the deleted uploads, without unknown ids and ids of other accounts.',
    }),
  }),
});

const AnalyzePdfPayload = builder.objectRef<{ success: boolean }>('AnalyzePdfPayload').implement({
  description: 'Result of a request for an analysis.',
  fields: (t) => ({
    success: t.exposeBoolean('success', {
      description: 'True: the request was accepted. Poll `subStatus` of the upload.',
    }),
  }),
});

/** The contract creates uploads by two mutations. An upload reads its enhancements only where a document selects them. */
export const uploadParts: SchemaPart[] = [
  query('upload', {
    scope: 'read',
    type: Upload,
    nullable: true,
    description: 'Reads an upload. Errors: NOT_FOUND.',
    ids: idPath('upl'),
    handle: async ({ caller, args: { id } }, { uploads, urls }: UploadNeeds) =>
      representUpload(requireRecord(await uploads.get(caller.account.id, id)), urls),
  }),

  uploadMutation('createUploadFromUrl', {
    scope: 'uploads',
    type: Upload,
    description:
      'Starts an upload from a URL. Poll `upload`, or wait for `upload.status_update`. Errors: BAD_USER_INPUT, URL_NOT_ALLOWED, STORAGE_LIMIT. `errorCode` reports later failures.',
    args: z.object({ input: fromUrl.meta({ description: 'File and options.' }) }),
    async handle({ caller, args, idempotencyKey }, { commands, urls }: UploadNeeds) {
      const { url, ...order } = args.input;
      const { upload } = await commands.createUploadFromUrl(caller, { ...toUploadOrder(order), url }, idempotencyKey);
      return representUpload(upload, urls);
    },
  }),

  uploadMutation('createUploadFromBucket', {
    scope: 'uploads',
    type: Upload,
    description:
      'Starts an upload from a registered bucket. Errors: BAD_USER_INPUT, STORAGE_LIMIT. `errorCode` reports later failures, such as SOURCE_MISSING.',
    args: z.object({ input: fromBucket.meta({ description: 'File and options.' }) }),
    async handle({ caller, args, idempotencyKey }, { commands, urls }: UploadNeeds) {
      const { bucket, key: objectKey, ...order } = args.input;
      const source = { bucket, key: objectKey };
      const { upload } = await commands.createUploadFromBucket(
        caller,
        { ...toUploadOrder(order), ...source },
        idempotencyKey,
      );
      return representUpload(upload, urls);
    },
  }),

  mutation('analyzePdf', {
    scope: 'uploads',
    type: AnalyzePdfPayload,
    description:
      'Repeats the analysis of a PDF after METADATA_ANALYZED_FAILED. Has no effect in other states. Errors: NOT_FOUND, BAD_USER_INPUT for an image.',
    ids: z.object({ uploadId: idParameter('upl') }),
    async handle({ caller, args: { uploadId }, idempotencyKey }, { commands }: UploadNeeds) {
      await commands.analyzeAgain(caller, uploadId, idempotencyKey);
      return { success: true };
    },
  }),

  mutation('analyzePdfWithPassword', {
    scope: 'uploads',
    type: AnalyzePdfPayload,
    description:
      'Repeats the analysis after ENCRYPTED_PDF or WRONG_PASSWORD. Errors: NOT_FOUND, BAD_USER_INPUT for an image or an invalid password.',
    ids: z.object({ uploadId: idParameter('upl') }),
    args: z.object({ password: passwordVariable }),
    async handle({ caller, args: { uploadId, password }, idempotencyKey }, { commands }: UploadNeeds) {
      await commands.analyzeAgain(caller, uploadId, idempotencyKey, password);
      return { success: true };
    },
  }),

  mutation('deleteUploads', {
    scope: 'uploads',
    type: DeleteUploadsPayload,
    description:
      'Deletes originals and results of uploads at once. Cancels running enhancements and releases their credits. Errors: BAD_USER_INPUT for more than 100 ids.',
    // Any text is an id that may be unknown; the command limits their number.
    args: z.object({ ids: z.array(z.string()).meta({ description: restText(deleteUploadsBody.shape.ids) }) }),
    handle: async ({ caller, args: { ids }, idempotencyKey }, { commands }: UploadNeeds) => ({
      deletedUploadIds: await commands.deleteUploads(caller, ids, idempotencyKey),
    }),
  }),
];
