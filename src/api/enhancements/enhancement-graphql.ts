import type { EnhancementRepresentation } from '../../domain/representations/enhancement.ts';
import { found } from '../commands/require-record.ts';
import { representUpload } from '../uploads/upload-schemas.ts';
import { builder } from '../graphql/builder.ts';
import { EnhancedImageStatus, ErrorCode, ProviderEnum, WaitingForEnum } from '../graphql/enums.ts';
import { EnhancedImageParameters } from './enhancement-parameters-graphql.ts';
import { EnhancedImageType, UploadType } from '../graphql/record-types.ts';

const EngineReport = builder.objectRef<NonNullable<EnhancementRepresentation['engine']>>('EngineReport').implement({
  description: 'How a result was made.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of the engine.' }),
    steps: t.exposeStringList('steps', {
      description: 'Names of the steps that changed the picture, in order, such as `tone` and `upscale`.',
    }),
    models: t.exposeStringList('models', { description: 'Neural networks that worked on the picture, in order.' }),
    notes: t.exposeStringList('notes', { description: 'Sentences about what was decided on the way.' }),
  }),
});

/** Fields of the contract first, then what Burnish adds. */
EnhancedImageType.implement({
  description: 'One enhancement of an upload, of an image or of a PDF.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Enhancement identifier, `enh_…`.' }),
    status: t.expose('status', { type: EnhancedImageStatus, description: 'State of the enhancement.' }),
    fullUrl: t.exposeString('fullUrl', {
      nullable: true,
      description:
        'Signed address of the result, valid for 24 hours and made afresh at each read; supports ranges. Null unless `status` is FINISHED.',
    }),
    filename: t.exposeString('filename', { nullable: true, description: 'Name of the result; null unless FINISHED.' }),
    engineDuration: t.int({
      nullable: true,
      description: 'Time that the engine took, milliseconds; null until it is known.',
      resolve: ({ engineDuration }) => engineDuration && Math.round(engineDuration),
    }),
    waitingFor: t.expose('waitingFor', {
      type: WaitingForEnum,
      nullable: true,
      description: 'What it waits for; null while it goes on, and once it has ended.',
    }),
    errorCode: t.expose('errorCode', {
      type: ErrorCode,
      nullable: true,
      description: 'Why the enhancement ended in error; null unless `status` is ERROR.',
    }),
    errorDetail: t.exposeString('errorDetail', { nullable: true, description: 'The same in a sentence.' }),
    uploadId: t.exposeID('uploadId', { description: 'The upload that is enhanced.' }),
    upload: t.field({
      type: UploadType,
      description: 'The upload that is enhanced.',
      resolve: async ({ uploadId }, _args, { loaders, deps }) =>
        representUpload(found(await loaders.upload.load(uploadId)), deps.addresses),
    }),
    mimetype: t.exposeString('mimetype', {
      nullable: true,
      description: 'MIME type of the result; null unless FINISHED.',
    }),
    filesize: t.exposeInt('filesize', { nullable: true, description: 'Bytes of the result; null unless FINISHED.' }),
    width: t.exposeInt('width', { nullable: true, description: 'Pixels of the result; 0 for PDFs.' }),
    height: t.exposeInt('height', { nullable: true, description: 'Pixels of the result; 0 for PDFs.' }),
    parameters: t.expose('parameters', { type: EnhancedImageParameters, description: 'What was asked for.' }),
    maxCredits: t.exposeInt('maxCredits', {
      nullable: true,
      description: 'Credits above which the estimate waits for approval; null: no review.',
    }),
    creditWait: t.exposeInt('creditWait', { description: 'Seconds to wait for credits; 0 fails at once.' }),
    estimatedCredits: t.exposeInt('estimatedCredits', {
      nullable: true,
      description: 'Credits; null until they are known.',
    }),
    chargedCredits: t.exposeInt('chargedCredits', {
      nullable: true,
      description: 'Credits that were charged; 0 for a reused result, null until it has finished.',
    }),
    reusedFrom: t.exposeID('reusedFrom', {
      nullable: true,
      description: 'The earlier enhancement whose result was reused; null when the engine made it.',
    }),
    provider: t.expose('provider', {
      type: ProviderEnum,
      description: 'Who does the work; HOSTED becomes LOCAL when this instance takes over.',
    }),
    engine: t.expose('engine', { type: EngineReport, nullable: true, description: 'How the result was made.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the enhancement was accepted.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the engine began; null before.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it became FINISHED, ERROR or CANCELLED; null before.',
    }),
  }),
});
