import { z } from 'zod';
import type { RecordedEnhancement } from '@burnish/contract';
import { requireRecord } from '../commands/checks.ts';
import { bucketName } from '../enhancements/destination-schemas.ts';
import { enhancementSchema, representEnhancement } from '../enhancements/enhancement-schemas.ts';
import type { FileUrls } from '../files/file-urls.ts';
import { restText } from '../graphql/described-schema.ts';
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
    description: `${restText(uploadSchema.shape.metadata)} JSON text with \`totalCredits\` and \`statistics\`: \`pages\`, \`images\`, \`colorEligible\`, \`resizeEligible\`, \`kinds\`, \`blankPages\`, \`signed\`, \`belowTarget\`, \`lowestReached\`, and \`credits\` with \`color\`, \`resize\` and \`colorAndResize\`.`,
    resolve: ({ metadata }) => metadata && JSON.stringify(metadata),
  }),
  enhancedImages: t.field({
    type: [recordType(enhancementSchema)],
    description: 'Enhancements of this upload: the newest 100, oldest first.',
    resolve: async ({ id }, _args, { loaders, deps }) =>
      represented(await loaders.enhancementsOfUpload.load(id), deps.urls),
  }),
}));

const uploadFromUrl = z
  .strictObject({ url: sourceUrl, ...uploadInputShape })
  .meta({ id: 'CreateUploadFromUrl', description: 'A file that Burnish downloads.' });
const uploadFromBucket = z
  .strictObject({ bucket: bucketName, key: sourceKey, ...uploadInputShape })
  .meta({ id: 'CreateUploadFromBucket', description: 'A file that Burnish reads from a registered bucket.' });

const deletedUploadIds = z
  .array(z.string())
  .meta({ description: 'Ids of the deleted uploads, without unknown ids and ids of other accounts.' });
const deletedUploads = z
  .object({ deletedUploadIds })
  .meta({ id: 'DeleteUploadsPayload', description: 'Deleted uploads.' });

const success = z.boolean().meta({ description: 'True: the request was accepted. Poll `subStatus` of the upload.' });
const requestedAnalysis = z
  .object({ success })
  .meta({ id: 'AnalyzePdfPayload', description: 'Result of a request for an analysis.' });

/** A mutation that repeats an analysis. @param args the password, where it takes one */
const analysis = (name: string, description: string, args: z.ZodType<{ password?: string }>): SchemaPart =>
  mutation(name, {
    scope: 'uploads',
    type: recordType(requestedAnalysis),
    description,
    ids: z.object({ uploadId: idParameter('upl') }),
    args,
    async handle({ caller, args: { uploadId, password }, idempotencyKey }, { commands }: UploadNeeds) {
      await commands.analyzeAgain(caller, uploadId, idempotencyKey, password);
      return { success: true };
    },
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
    args: z.object({ input: uploadFromUrl }),
    async handle({ caller, args: { input }, idempotencyKey }, { commands, urls }: UploadNeeds) {
      const order = { ...toUploadOrder(input), url: input.url };
      return representUpload((await commands.createUploadFromUrl(caller, order, idempotencyKey)).upload, urls);
    },
  }),

  uploadMutation('createUploadFromBucket', {
    scope: 'uploads',
    type: Upload,
    description:
      'Starts an upload from a registered bucket. Errors: BAD_USER_INPUT, STORAGE_LIMIT. `errorCode` reports later failures, such as SOURCE_MISSING.',
    args: z.object({ input: uploadFromBucket }),
    async handle({ caller, args: { input }, idempotencyKey }, { commands, urls }: UploadNeeds) {
      const order = { ...toUploadOrder(input), bucket: input.bucket, key: input.key };
      return representUpload((await commands.createUploadFromBucket(caller, order, idempotencyKey)).upload, urls);
    },
  }),

  analysis(
    'analyzePdf',
    'Repeats the analysis of a PDF after METADATA_ANALYZED_FAILED. Has no effect in other states. Errors: NOT_FOUND, BAD_USER_INPUT for an image.',
    z.object({}),
  ),
  analysis(
    'analyzePdfWithPassword',
    'Repeats the analysis after ENCRYPTED_PDF or WRONG_PASSWORD. Errors: NOT_FOUND, BAD_USER_INPUT for an image or an invalid password.',
    z.object({ password: passwordVariable }),
  ),

  mutation('deleteUploads', {
    scope: 'uploads',
    type: recordType(deletedUploads),
    description:
      'Deletes originals and results of uploads at once. Cancels running enhancements and releases their credits. Errors: BAD_USER_INPUT for more than 100 ids.',
    // Any text is an id that may be unknown; the command limits their number.
    args: z.object({ ids: z.array(z.string()).meta({ description: restText(deleteUploadsBody.shape.ids) }) }),
    handle: async ({ caller, args: { ids }, idempotencyKey }, { commands }: UploadNeeds) => ({
      deletedUploadIds: await commands.deleteUploads(caller, ids, idempotencyKey),
    }),
  }),
];
