import { z } from 'zod';
import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import type { Labelled } from '../../domain/upload/upload.ts';
import { requireRecord } from '../commands/checks.ts';
import { CreateEnhancedImageInput } from '../enhancements/enhancement-parameters-graphql.ts';
import { representEnhancement } from '../enhancements/enhancement-schemas.ts';
import type { FileAddresses } from '../files/file-addresses.ts';
import { builder, type InputFieldBuilder } from '../graphql/builder.ts';
import { connectionType, filterArgs, givenFilter, pageArgs, pageRequest } from '../graphql/connection.ts';
import {
  DeletionReason,
  ErrorCode,
  FallbackEnum,
  PriorityEnum,
  ProviderEnum,
  UploadStatus,
  UploadSubStatus,
  WaitingForEnum,
} from '../graphql/enums.ts';
import { knownId, parseInput, withInput } from '../graphql/input.ts';
import { labelFields, labelInputFields } from '../graphql/labels.ts';
import { EnhancedImageType, UploadType } from '../graphql/record-types.ts';
import {
  createUploadBody,
  pdfPassword,
  toUploadOrder,
  uploadOrderInputShape,
  representUpload,
} from './upload-schemas.ts';

/** Represents enhancements lazily, since each needs a signed address. */
function* represented(enhancements: readonly Labelled<Enhancement>[], addresses: FileAddresses) {
  for (const each of enhancements) yield representEnhancement(each, addresses);
}

/** The contract's fields first, then Burnish's additions. */
UploadType.implement({
  description: 'A file that was uploaded, from its first byte to its deletion.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Upload identifier, `upl_…`.' }),
    status: t.expose('status', { type: UploadStatus, description: 'State of the upload.' }),
    subStatus: t.expose('subStatus', {
      type: UploadSubStatus,
      nullable: true,
      description: 'State of the analysis of a PDF; null for images.',
    }),
    metadata: t.string({
      nullable: true,
      description:
        'JSON text of what the analysis of a PDF found: `totalCredits` (credits for every enhancement that it is eligible for) and `statistics` (`pages`, `images`, `colorEligible`, `resizeEligible`, where images cannot reach 300 DPI also `belowTarget` and `lowestReached`, `credits` with `color`, `resize` and `colorAndResize`). Null for images, and until `subStatus` is METADATA_ANALYZED_SUCCESSFULLY.',
      resolve: ({ metadata }) => metadata && JSON.stringify(metadata),
    }),
    filesize: t.exposeInt('filesize', { nullable: true, description: 'Bytes; null until the file has arrived.' }),
    mimetype: t.exposeString('mimetype', {
      nullable: true,
      description: 'MIME type by content; null until the file is there.',
    }),
    extension: t.exposeString('extension', {
      nullable: true,
      description: 'File extension by content, without a dot; null until the file is there.',
    }),
    originalFilename: t.exposeString('originalFilename', { description: 'File name as uploaded.' }),
    filename: t.exposeString('filename', {
      nullable: true,
      description: 'Storage file name; null until the file is there.',
    }),
    width: t.exposeInt('width', { description: 'Pixels, after orientation; 0 for PDFs.' }),
    height: t.exposeInt('height', { description: 'Pixels, after orientation; 0 for PDFs.' }),
    url: t.exposeString('url', {
      nullable: true,
      description:
        'Signed address of the original, valid for 24 hours and made afresh at each read; null when there is no file.',
    }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When processing began; null while a signed upload waits for its bytes.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the upload became UPLOAD_FINISHED or UPLOAD_FAILED.',
    }),
    duration: t.exposeInt('duration', {
      nullable: true,
      description: 'Processing time of the upload, milliseconds; null until it has finished.',
    }),
    waitingFor: t.expose('waitingFor', {
      type: WaitingForEnum,
      nullable: true,
      description: 'The part that it waits for; null while it runs and after its end.',
    }),
    errorCode: t.expose('errorCode', {
      type: ErrorCode,
      nullable: true,
      description: 'Why the upload or the analysis failed; null when nothing did.',
    }),
    errorDetail: t.exposeString('errorDetail', { nullable: true, description: 'The same in a sentence.' }),
    retentionDays: t.exposeInt('retentionDays', {
      description: 'Days, 1 to 365, that the file is kept; fixed when the upload was created.',
    }),
    ...labelFields(t),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the upload was created.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the upload was deleted; null unless it is UPLOAD_DELETED.',
    }),
    deletionReason: t.expose('deletionReason', {
      type: DeletionReason,
      nullable: true,
      description: 'Why it was deleted; null unless it is UPLOAD_DELETED.',
    }),
    provider: t.expose('provider', {
      type: ProviderEnum,
      description: 'Who does the work; HOSTED becomes LOCAL when this instance takes over.',
    }),
    enhancedImages: t.field({
      type: [EnhancedImageType],
      description: 'Enhancements of this upload, oldest first; of more than 100 the newest 100.',
      resolve: async ({ id }, _args, { loaders, deps }) =>
        represented(await loaders.enhancementsOfUpload.load(id), deps.addresses),
    }),
  }),
});

const UploadConnection = connectionType('Upload', UploadType);

builder.queryFields((t) => ({
  upload: t.field({
    scope: 'read',
    type: UploadType,
    nullable: true,
    description: 'One upload. NOT_FOUND when there is none by that id in this account.',
    args: { id: t.arg.id({ required: true, description: 'Id of the upload.' }) },
    resolve: async (_root, { id }, { deps, caller }) =>
      representUpload(requireRecord(await deps.uploads.get(caller.account.id, knownId('upl', id))), deps.addresses),
  }),
  uploads: t.field({
    scope: 'read',
    type: UploadConnection,
    description: 'The uploads of the account, the newest first. BAD_USER_INPUT for a page that cannot be.',
    args: {
      ...pageArgs,
      ...filterArgs,
      status: t.arg({ type: UploadStatus, description: 'Only uploads that are in this state.' }),
    },
    resolve: async (_root, { first, after, ...filter }, { deps, caller }) => {
      const request = { ...pageRequest({ first, after }), ...givenFilter(filter) };
      const { items, nextCursor } = await deps.uploads.list(caller.account.id, request);
      return { items: items.map((each) => representUpload(each, deps.addresses)), nextCursor };
    },
  }),
}));

/** Input fields of every upload: its enhancements, webhook address and limits. */
export const uploadOrderFields = (t: InputFieldBuilder) => ({
  enhancements: t.field({
    type: [CreateEnhancedImageInput],
    description: 'Up to 20 enhancements that begin as soon as the upload is ready for them.',
  }),
  password: t.string({
    description:
      'Password of an encrypted PDF, of the user or of the owner. Send it as a variable. It is stored encrypted, appears in no record, and goes with the upload.',
  }),
  webhookUrl: t.string({
    description:
      'http or https address that receives every event of this upload, signed. URL_NOT_ALLOWED for a private address.',
  }),
  maxCredits: t.int({ description: 'Credits: `maxCredits` of each enhancement that brings none of its own.' }),
  creditWait: t.int({ description: 'Seconds: `creditWait` of each enhancement that brings none of its own.' }),
  provider: t.field({
    type: ProviderEnum,
    description:
      'Provider of its enhancements. Default: that of the instance. BAD_USER_INPUT where it has no hosted service.',
  }),
  fallback: t.field({
    type: FallbackEnum,
    description: 'Provider that takes over when the hosted service stays away. Default: that of the instance.',
  }),
  priority: t.field({ type: PriorityEnum, description: 'Priority of this work. Default STANDARD.' }),
  ...labelInputFields(t),
});

const CreateUploadFromUrlInput = builder.inputType('CreateUploadFromUrlInput', {
  description: 'A file to be fetched.',
  fields: (t) => ({
    url: t.string({
      required: true,
      description:
        'Publicly reachable address of the file, http or https, at most 2048 characters. URL_NOT_ALLOWED for a private one.',
    }),
    filename: t.string({ description: 'Name of the file, 1 to 255 characters. Default: from the address.' }),
    ...uploadOrderFields(t),
  }),
});

const { url } = createUploadBody.shape.source.shape;
/** The limits of `CreateUploadFromUrlInput`, as in REST. */
const urlInputSchema = z.strictObject({ url, ...uploadOrderInputShape });

const passwordArgument = z.strictObject({ password: pdfPassword });

const DeleteUploadsPayload = builder.objectRef<{ deletedUploadIds: string[] }>('DeleteUploadsPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({
    deletedUploadIds: t.exposeIDList('deletedUploadIds', {
      description:
        'Those of the given ids whose upload is deleted now. Ids that are unknown or of another account are left out.',
    }),
  }),
});

const AnalyzePdfPayload = builder.objectRef<{ success: boolean }>('AnalyzePdfPayload').implement({
  description: 'Whether the analysis is on its way.',
  fields: (t) => ({
    success: t.exposeBoolean('success', {
      description: 'True: the request was taken on. Poll `subStatus` of the upload.',
    }),
  }),
});

builder.mutationFields((t) => ({
  createUploadFromUrl: t.field({
    scope: 'uploads',
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
  analyzePdf: t.field({
    scope: 'uploads',
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
  analyzePdfWithPassword: t.field({
    scope: 'uploads',
    type: AnalyzePdfPayload,
    nullable: true,
    description:
      'As `analyzePdf`, for an encrypted PDF whose analysis failed with ENCRYPTED_PDF or WRONG_PASSWORD. Errors: NOT_FOUND, BAD_USER_INPUT for an image, and for a password of no or too many characters.',
    args: {
      uploadId: t.arg.id({ required: true, description: 'Id of the upload.' }),
      password: t.arg.string({ required: true, description: 'Of the user or of the owner. Send it as a variable.' }),
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
      'Deletes uploads at once: originals and results go, running enhancements are cancelled and their credits released. Errors: BAD_USER_INPUT for more than 100 ids.',
    args: { ids: t.arg.idList({ required: true, description: 'Ids of 1 to 100 uploads.' }) },
    resolve: async (_root, { ids }, { deps, caller, keyFor }, info) => ({
      deletedUploadIds: await deps.commands.deleteUploads(caller, ids, await keyFor(info)),
    }),
  }),
}));
