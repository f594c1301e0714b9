import { z } from 'zod';
import type { RecordedEnhancement } from '../../domain/enhancement/enhancement.ts';
import { requireRecord } from '../commands/checks.ts';
import { CreateEnhancedImageInput } from '../enhancements/enhancement-parameters-graphql.ts';
import { representEnhancement } from '../enhancements/enhancement-schemas.ts';
import type { FileAddresses } from '../files/file-addresses.ts';
import { builder, type InputFieldBuilder } from '../graphql/builder.ts';
import { connectionType, filterArgs, givenFilter, pageArgs, pageRequest } from '../graphql/connection.ts';
import { FallbackEnum, PriorityEnum, ProviderEnum, UploadStatus } from '../graphql/enums.ts';
import { restText } from '../graphql/described-schema.ts';
import { knownId, parseInput, withInput } from '../graphql/input.ts';
import { labelInputFields, metadataField } from '../graphql/labels.ts';
import { EnhancedImageType, UploadType } from '../graphql/record-types.ts';
import { restType } from '../graphql/rest-types.ts';
import { bucketName } from '../enhancements/destination-schemas.ts';
import { pdfPassword, sourceKey, sourceUrl, toUploadOrder, uploadOrderInputShape } from './upload-order-schemas.ts';
import { deleteUploadsBody, listUploadsQuery, uploadSchema, representUpload } from './upload-schemas.ts';

/** Represents enhancements lazily, since each needs a signed address. */
function* represented(enhancements: readonly RecordedEnhancement[], addresses: FileAddresses) {
  for (const each of enhancements) yield representEnhancement(each, addresses);
}

restType(UploadType, uploadSchema, (t) => ({
  metadata: t.string({
    nullable: true,
    description: `${restText(uploadSchema.shape.metadata)} JSON text with \`totalCredits\` and \`statistics\`: \`pages\`, \`images\`, \`colorEligible\`, \`resizeEligible\`, \`kinds\`, \`signed\`, \`belowTarget\`, \`lowestReached\`, and \`credits\` with \`color\`, \`resize\` and \`colorAndResize\`.`,
    resolve: ({ metadata }) => metadata && JSON.stringify(metadata),
  }),
  ...metadataField(t),
  enhancedImages: t.field({
    type: [EnhancedImageType],
    description: 'Enhancements of this upload: the newest 100, oldest first.',
    resolve: async ({ id }, _args, { loaders, deps }) =>
      represented(await loaders.enhancementsOfUpload.load(id), deps.addresses),
  }),
}));

const UploadConnection = connectionType('Upload', UploadType);

builder.queryFields((t) => ({
  upload: t.field({
    scope: 'read',
    type: UploadType,
    nullable: true,
    description: 'Reads an upload. Errors: NOT_FOUND.',
    restSchema: uploadSchema,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, { deps, caller }) =>
      representUpload(requireRecord(await deps.uploads.get(caller.account.id, knownId('upl', id))), deps.addresses),
  }),
  uploads: t.field({
    scope: 'read',
    type: UploadConnection,
    description: 'Lists the uploads of the account, newest first. Errors: BAD_USER_INPUT.',
    restSchema: listUploadsQuery,
    args: {
      ...pageArgs,
      ...filterArgs,
      status: t.arg({ type: UploadStatus }),
    },
    resolve: async (_root, { first, after, ...filter }, { deps, caller }) => {
      const request = { ...pageRequest({ first, after }), ...givenFilter(filter) };
      const { items, nextCursor } = await deps.uploads.list(caller.account.id, request);
      return { items: items.map((each) => representUpload(each, deps.addresses)), nextCursor };
    },
  }),
}));

/** Input fields of every upload: its enhancements, webhook URL and limits. */
export const uploadOrderFields = (t: InputFieldBuilder) => ({
  enhancements: t.field({ type: [CreateEnhancedImageInput] }),
  password: t.string({ description: `${restText(pdfPassword)} Send it as a variable.` }),
  webhookUrl: t.string(),
  maxCredits: t.int(),
  creditWait: t.int(),
  provider: t.field({ type: ProviderEnum }),
  fallback: t.field({ type: FallbackEnum }),
  priority: t.field({ type: PriorityEnum }),
  ...labelInputFields(t),
});

/** The limits of `CreateUploadFromUrlInput`, as in REST. */
const urlInputSchema = z.strictObject({ url: sourceUrl, ...uploadOrderInputShape });
const bucketInputSchema = z.strictObject({ bucket: bucketName, key: sourceKey, ...uploadOrderInputShape });

const CreateUploadFromBucketInput = builder.inputType('CreateUploadFromBucketInput', {
  description: 'A file that Burnish reads from a registered bucket.',
  restSchema: bucketInputSchema,
  fields: (t) => ({
    bucket: t.string({ required: true }),
    key: t.string({ required: true }),
    filename: t.string(),
    ...uploadOrderFields(t),
  }),
});

const CreateUploadFromUrlInput = builder.inputType('CreateUploadFromUrlInput', {
  description: 'A file that Burnish downloads.',
  restSchema: urlInputSchema,
  fields: (t) => ({
    url: t.string({ required: true }),
    filename: t.string(),
    ...uploadOrderFields(t),
  }),
});

const passwordArgument = z.strictObject({ password: pdfPassword });

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

builder.mutationFields((t) => ({
  createUploadFromUrl: t.field({
    scope: 'uploads',
    type: UploadType,
    nullable: true,
    description:
      'Starts an upload from a URL. Poll `upload`, or wait for `upload.status_update`. Errors: BAD_USER_INPUT, URL_NOT_ALLOWED, STORAGE_LIMIT. `errorCode` reports later failures.',
    args: { input: t.arg({ type: CreateUploadFromUrlInput, required: true, description: 'File and options.' }) },
    resolve: async (_root, { input }, { deps, caller, uploadKeyFor, admit }, info) => {
      const { url, ...order } = parseInput(urlInputSchema, input);
      const key = await uploadKeyFor(info);
      const { upload } = await withInput(() =>
        admit(() => deps.commands.createUploadFromUrl(caller, { ...toUploadOrder(order), url }, key)),
      );
      return representUpload(upload, deps.addresses);
    },
  }),
  createUploadFromBucket: t.field({
    scope: 'uploads',
    type: UploadType,
    nullable: true,
    description:
      'Starts an upload from a registered bucket. Errors: BAD_USER_INPUT, STORAGE_LIMIT. `errorCode` reports later failures, such as SOURCE_MISSING.',
    args: { input: t.arg({ type: CreateUploadFromBucketInput, required: true, description: 'File and options.' }) },
    resolve: async (_root, { input }, { deps, caller, uploadKeyFor, admit }, info) => {
      const { bucket, key: objectKey, ...order } = parseInput(bucketInputSchema, input);
      const key = await uploadKeyFor(info);
      const { upload } = await withInput(() =>
        admit(() =>
          deps.commands.createUploadFromBucket(caller, { ...toUploadOrder(order), bucket, key: objectKey }, key),
        ),
      );
      return representUpload(upload, deps.addresses);
    },
  }),
  analyzePdf: t.field({
    scope: 'uploads',
    type: AnalyzePdfPayload,
    nullable: true,
    description:
      'Repeats the analysis of a PDF after METADATA_ANALYZED_FAILED. Has no effect in other states. Errors: NOT_FOUND, BAD_USER_INPUT for an image.',
    args: { uploadId: t.arg.id({ required: true, description: restText(uploadSchema.shape.id) }) },
    resolve: async (_root, { uploadId }, { deps, caller, keyFor }, info) => {
      await deps.commands.analyzeAgain(caller, knownId('upl', uploadId), await keyFor(info));
      return { success: true };
    },
  }),
  analyzePdfWithPassword: t.field({
    scope: 'uploads',
    type: AnalyzePdfPayload,
    nullable: true,
    description:
      'Repeats the analysis after ENCRYPTED_PDF or WRONG_PASSWORD. Errors: NOT_FOUND, BAD_USER_INPUT for an image or an invalid password.',
    args: {
      uploadId: t.arg.id({ required: true, description: restText(uploadSchema.shape.id) }),
      password: t.arg.string({ required: true, description: `${restText(pdfPassword)} Send it as a variable.` }),
    },
    resolve: async (_root, { uploadId, ...given }, { deps, caller, keyFor }, info) => {
      const { password } = passwordArgument.parse(given);
      await deps.commands.analyzeAgain(caller, knownId('upl', uploadId), await keyFor(info), password);
      return { success: true };
    },
  }),
  deleteUploads: t.field({
    scope: 'uploads',
    type: DeleteUploadsPayload,
    nullable: true,
    description:
      'Deletes originals and results of uploads at once. Cancels running enhancements and releases their credits. Errors: BAD_USER_INPUT for more than 100 ids.',
    restSchema: deleteUploadsBody,
    args: { ids: t.arg.idList({ required: true }) },
    resolve: async (_root, { ids }, { deps, caller, keyFor }, info) => ({
      deletedUploadIds: await deps.commands.deleteUploads(caller, ids, await keyFor(info)),
    }),
  }),
}));
