import type { EnhancementRepresentation } from '../../domain/representations/enhancement.ts';
import { requireRecord } from '../commands/checks.ts';
import { builder } from '../graphql/builder.ts';
import { connectionType, filterArgs, givenFilter, pageArgs, pageRequest } from '../graphql/connection.ts';
import { EnhancedImageStatus, ErrorCode, ProviderEnum, WaitingForEnum } from '../graphql/enums.ts';
import { PUBLIC_SERVICE } from '../graphql/public-service.ts';
import { knownId, parseInput, withInput } from '../graphql/input.ts';
import { labelFields } from '../graphql/labels.ts';
import { EnhancedImageType, UploadType } from '../graphql/record-types.ts';
import { representUpload } from '../uploads/upload-schemas.ts';
import { CreateEnhancedImageInput, EnhancedImageParameters, withoutAliases } from './enhancement-parameters-graphql.ts';
import { enhancementInputSchema, representEnhancement, toEnhancementOrder } from './enhancement-schemas.ts';
import type { Estimate as EstimatedEnhancement } from './estimate-command.ts';

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

/** The contract's fields first, then Burnish's additions. */
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
    viesusDuration: t.int({
      nullable: true,
      description: `${PUBLIC_SERVICE} name of \`engineDuration\`.`,
      resolve: ({ engineDuration }) => engineDuration && Math.round(engineDuration),
    }),
    waitingFor: t.expose('waitingFor', {
      type: WaitingForEnum,
      nullable: true,
      description: 'The part that it waits for; null while it runs and after its end.',
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
        representUpload(requireRecord(await loaders.upload.load(uploadId)), deps.addresses),
    }),
    mimetype: t.exposeString('mimetype', {
      nullable: true,
      description: 'MIME type of the result; null unless FINISHED.',
    }),
    filesize: t.exposeInt('filesize', { nullable: true, description: 'Bytes of the result; null unless FINISHED.' }),
    growth: t.expose('growth', {
      type: 'Decimal',
      nullable: true,
      description:
        'Size of the result as a multiple of the size of the original; null unless FINISHED, and for results of earlier versions.',
    }),
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
    ...labelFields(t),
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

const EnhancedImageConnection = connectionType('EnhancedImage', EnhancedImageType);

const Estimate = builder.objectRef<EstimatedEnhancement>('EnhancementEstimate').implement({
  description: 'The price of an enhancement and the size of its result before it is ordered.',
  fields: (t) => ({
    credits: t.exposeInt('credits', { description: 'Credits that the enhancement costs at most.' }),
    filesize: t.expose('filesize', {
      type: 'Decimal',
      nullable: true,
      description:
        'Expected size of the result in bytes; the real size may differ. Null for images and for the hosted service.',
    }),
  }),
});

builder.queryFields((t) => ({
  enhancementEstimate: t.field({
    scope: 'read',
    type: Estimate,
    nullable: true,
    description:
      'The price of an enhancement with these parameters; nothing is ordered. Errors: NOT_FOUND, BAD_USER_INPUT, PDF_NOT_ANALYZED, TARGET_RESOLUTION_EXCEEDS_PLAN, SIGNED_PDF, RATE_LIMITED.',
    args: {
      uploadId: t.arg.id({ required: true, description: 'Id of the upload.' }),
      input: t.arg({ type: CreateEnhancedImageInput, required: true, description: 'What would be done.' }),
    },
    resolve: async (_root, { uploadId, input }, { deps, caller }) => {
      const { parameters } = toEnhancementOrder(parseInput(enhancementInputSchema, withoutAliases(input)));
      return await withInput(() => deps.commands.estimate(caller, knownId('upl', uploadId), parameters));
    },
  }),
  enhancedImage: t.field({
    scope: 'read',
    type: EnhancedImageType,
    nullable: true,
    description: 'One enhancement. NOT_FOUND when there is none by that id in this account.',
    args: { id: t.arg.id({ required: true, description: 'Id of the enhancement.' }) },
    resolve: async (_root, { id }, { deps, caller }) =>
      representEnhancement(
        requireRecord(await deps.enhancements.get(caller.account.id, knownId('enh', id))),
        deps.addresses,
      ),
  }),
  enhancedImages: t.field({
    scope: 'read',
    type: EnhancedImageConnection,
    description: 'The enhancements of the account, the newest first. BAD_USER_INPUT for a page that cannot be.',
    args: {
      ...pageArgs,
      ...filterArgs,
      status: t.arg({ type: EnhancedImageStatus, description: 'Only enhancements that are in this state.' }),
    },
    resolve: async (_root, { first, after, ...filter }, { deps, caller }) => {
      const request = { ...pageRequest({ first, after }), ...givenFilter(filter) };
      const { items, nextCursor } = await deps.enhancements.list(caller.account.id, request);
      return { items: items.map((each) => representEnhancement(each, deps.addresses)), nextCursor };
    },
  }),
}));

builder.mutationFields((t) => ({
  createEnhancedImage: t.field({
    scope: 'uploads',
    type: EnhancedImageType,
    nullable: true,
    description:
      'Begins an enhancement of an upload; any number of them may refer to one upload. Errors: NOT_FOUND, BAD_USER_INPUT, PDF_NOT_ANALYZED, TARGET_RESOLUTION_EXCEEDS_PLAN, RATE_LIMITED; what comes later is in `errorCode`.',
    args: {
      uploadId: t.arg.id({ required: true, description: 'Id of the upload.' }),
      input: t.arg({ type: CreateEnhancedImageInput, required: true, description: 'What to do.' }),
    },
    resolve: async (_root, { uploadId, input }, { deps, caller, keyFor }, info) => {
      const order = toEnhancementOrder(parseInput(enhancementInputSchema, withoutAliases(input)));
      const id = knownId('upl', uploadId);
      const key = await keyFor(info);
      const made = await withInput(() => deps.commands.requestEnhancement(caller, id, order, key));
      return representEnhancement(made, deps.addresses);
    },
  }),
}));

const COMMANDS = {
  cancelEnhancement: {
    command: 'cancel',
    description:
      'Cancels an enhancement and releases its credits; changes nothing once it has ended. Errors: NOT_FOUND.',
  },
  approveEnhancement: {
    command: 'approve',
    description:
      'Lets an enhancement that is AWAITING_APPROVAL go on. Errors: NOT_FOUND, BAD_USER_INPUT in any other state.',
  },
  rejectEnhancement: {
    command: 'reject',
    description:
      'Ends an enhancement that is AWAITING_APPROVAL with APPROVAL_REJECTED. Errors: NOT_FOUND, BAD_USER_INPUT in any other state.',
  },
} as const;

for (const [name, { command, description }] of Object.entries(COMMANDS)) {
  builder.mutationField(name, (t) =>
    t.field({
      scope: 'uploads',
      type: EnhancedImageType,
      nullable: true,
      description,
      args: { id: t.arg.id({ required: true, description: 'Id of the enhancement.' }) },
      resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
        representEnhancement(
          await deps.commands[command](caller, knownId('enh', id), await keyFor(info)),
          deps.addresses,
        ),
    }),
  );
}
