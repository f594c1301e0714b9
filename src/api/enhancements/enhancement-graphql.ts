import type { EnhancementRepresentation } from './enhancement-schemas.ts';
import { requireRecord } from '../commands/checks.ts';
import { builder } from '../graphql/builder.ts';
import { connectionType, filterArgs, givenFilter, pageArgs, pageRequest } from '../graphql/connection.ts';
import { EnhancedImageStatus, enumType } from '../graphql/enums.ts';
import { restText } from '../graphql/described-schema.ts';
import { PUBLIC_SERVICE } from '../graphql/public-service.ts';
import { knownId, parseInput, withInput } from '../graphql/input.ts';
import { metadataField } from '../graphql/labels.ts';
import { EnhancedImageType, UploadType } from '../graphql/record-types.ts';
import { restType } from '../graphql/rest-types.ts';
import { representUpload } from '../uploads/upload-schemas.ts';
import { CreateEnhancedImageInput, withoutAliases } from './enhancement-parameters-graphql.ts';
import { destinationSchema, destinationStatus } from './destination-schemas.ts';
import { listEnhancementsQuery } from './enhancement-filter.ts';
import { estimateSchema, expectedImagesSchema } from './estimate-schemas.ts';
import {
  enhancementInputSchema,
  enhancementSchema,
  representEnhancement,
  toEnhancementOrder,
} from './enhancement-schemas.ts';
import { engineReportSchema, fidelitySchema, progressSchema } from './engine-report-schemas.ts';

restType('Fidelity', fidelitySchema, (t) => ({
  psnr: t.exposeFloat('psnr', { nullable: true }),
  maxDifference: t.exposeFloat('maxDifference'),
}));
restType('EnhancementProgress', progressSchema, (t) => ({ fraction: t.exposeFloat('fraction') }));
restType('EngineReport', engineReportSchema);
enumType('DestinationStatus', destinationStatus);
restType('Destination', destinationSchema);

const roundedDuration = ({ engineDuration }: EnhancementRepresentation): number | null =>
  engineDuration && Math.round(engineDuration);

restType(EnhancedImageType, enhancementSchema, (t) => ({
  preset: undefined,
  engineDuration: t.int({ nullable: true, resolve: roundedDuration }),
  viesusDuration: t.int({
    nullable: true,
    description: `${PUBLIC_SERVICE} name of \`engineDuration\`.`,
    resolve: roundedDuration,
  }),
  upload: t.field({
    type: UploadType,
    description: 'The enhanced upload.',
    resolve: async ({ uploadId }, _args, { loaders, deps }) =>
      representUpload(requireRecord(await loaders.upload.load(uploadId)), deps.addresses),
  }),
  presetName: t.exposeString('preset', { nullable: true, description: restText(enhancementSchema.shape.preset) }),
  maxCredits: t.exposeInt('maxCredits', { nullable: true }),
  creditWait: t.exposeInt('creditWait'),
  estimatedCredits: t.exposeInt('estimatedCredits', { nullable: true }),
  chargedCredits: t.exposeInt('chargedCredits', { nullable: true }),
  reusedFrom: t.exposeID('reusedFrom', { nullable: true }),
  basedOn: t.exposeID('basedOn', { nullable: true }),
  ...metadataField(t),
}));

const EnhancedImageConnection = connectionType('EnhancedImage', EnhancedImageType);

restType('ExpectedImages', expectedImagesSchema);
const Estimate = restType('EnhancementEstimate', estimateSchema, (t) => ({
  filesize: t.expose('filesize', { type: 'Decimal', nullable: true }),
}));

builder.queryFields((t) => ({
  enhancementEstimate: t.field({
    scope: 'read',
    type: Estimate,
    nullable: true,
    description:
      'Estimates the price of an enhancement without ordering it. Errors: NOT_FOUND, BAD_USER_INPUT, PDF_NOT_ANALYZED, TARGET_RESOLUTION_EXCEEDS_PLAN, TOO_MANY_PIXELS, SIGNED_PDF, RATE_LIMITED.',
    args: {
      uploadId: t.arg.id({ required: true, description: restText(enhancementSchema.shape.uploadId) }),
      input: t.arg({ type: CreateEnhancedImageInput, required: true, description: 'Parameters of the enhancement.' }),
    },
    resolve: async (_root, { uploadId, input }, { deps, caller }) => {
      const order = toEnhancementOrder(parseInput(enhancementInputSchema, withoutAliases(input)));
      return await withInput(() => deps.commands.estimate(caller, knownId('upl', uploadId), order));
    },
  }),
  enhancedImage: t.field({
    scope: 'read',
    type: EnhancedImageType,
    nullable: true,
    description: 'Reads an enhancement. After `deletedAt` it has no result. Errors: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: restText(enhancementSchema.shape.id) }) },
    resolve: async (_root, { id }, { deps, caller }) => {
      const enhancement = requireRecord(await deps.enhancements.get(caller.account.id, knownId('enh', id)));
      return representEnhancement(enhancement, deps.addresses, await deps.progress.read(enhancement));
    },
  }),
  enhancedImages: t.field({
    scope: 'read',
    type: EnhancedImageConnection,
    description:
      'Lists the enhancements of the account, newest first. Errors: BAD_USER_INPUT, NOT_FOUND for a malformed `uploadId`.',
    restSchema: listEnhancementsQuery,
    args: {
      ...pageArgs,
      ...filterArgs,
      uploadId: t.arg.id(),
      status: t.arg({ type: EnhancedImageStatus }),
    },
    resolve: async (_root, { first, after, uploadId, ...filter }, { deps, caller }) => {
      const ofUpload = typeof uploadId === 'string' ? { uploadId: knownId('upl', uploadId) } : {};
      const request = { ...pageRequest({ first, after }), ...givenFilter(filter), ...ofUpload };
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
      'Starts an enhancement of an upload. An upload can have any number of them. A PDF must have been analyzed. While the type of a file is unknown, the enhancement waits. Errors: NOT_FOUND, BAD_USER_INPUT, PDF_NOT_ANALYZED, TARGET_RESOLUTION_EXCEEDS_PLAN, TOO_MANY_PIXELS, SIGNED_PDF, RATE_LIMITED. `errorCode` reports later failures.',
    args: {
      uploadId: t.arg.id({ required: true, description: restText(enhancementSchema.shape.uploadId) }),
      input: t.arg({ type: CreateEnhancedImageInput, required: true, description: 'Parameters of the enhancement.' }),
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
    description: 'Cancels an enhancement and releases its credits. Errors: NOT_FOUND, CONFLICT after another end.',
  },
  approveEnhancement: {
    command: 'approve',
    description:
      'Approves the estimate of an enhancement that is AWAITING_APPROVAL. Errors: NOT_FOUND, CONFLICT in any other state.',
  },
  rejectEnhancement: {
    command: 'reject',
    description:
      'Rejects the estimate of an enhancement that is AWAITING_APPROVAL, which then fails with APPROVAL_REJECTED. Errors: NOT_FOUND, CONFLICT in any other state.',
  },
} as const;

for (const [name, { command, description }] of Object.entries(COMMANDS)) {
  builder.mutationField(name, (t) =>
    t.field({
      scope: 'uploads',
      type: EnhancedImageType,
      nullable: true,
      description,
      args: { id: t.arg.id({ required: true, description: restText(enhancementSchema.shape.id) }) },
      resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
        representEnhancement(
          await deps.commands[command](caller, knownId('enh', id), await keyFor(info)),
          deps.addresses,
        ),
    }),
  );
}
