import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import { representEnhancement } from './upload-schemas.ts';
import type { FileAddresses } from './upload-schemas.ts';
import {
  DeletionReason,
  ErrorCode,
  ProviderEnum,
  UploadStatus,
  UploadSubStatus,
  WaitingForEnum,
} from '../graphql/enums.ts';
import { EnhancedImageType, UploadType } from '../graphql/record-types.ts';

/** One by one as they are asked for: an address is signed for each. */
function* represented(enhancements: readonly Enhancement[], addresses: FileAddresses) {
  for (const each of enhancements) yield representEnhancement(each, addresses);
}

/** Fields of the contract first, then what Burnish adds. */
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
        'JSON text of what the analysis of a PDF found: `totalCredits` (credits for every enhancement that it is eligible for) and `statistics` (`pages`, `images`, `colorEligible`, `resizeEligible`, `credits` with `color`, `resize` and `colorAndResize`). Null for images, and until `subStatus` is METADATA_ANALYZED_SUCCESSFULLY.',
      resolve: ({ metadata }) => metadata && JSON.stringify(metadata),
    }),
    filesize: t.exposeInt('filesize', { nullable: true, description: 'Bytes; null until the file is there.' }),
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
      description: 'What it waits for; null while it goes on, and once it has ended.',
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
