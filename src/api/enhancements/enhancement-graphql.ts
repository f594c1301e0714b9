import { z } from 'zod';
import { mapPage } from '../../database/page.ts';
import { requireRecord } from '../commands/checks.ts';
import { connectionType, pageArgs, pageRequest } from '../graphql/connection.ts';
import { restText } from '../graphql/described-schema.ts';
import { enumType } from '../graphql/enums.ts';
import { knownId, withOneEnhancement } from '../graphql/input.ts';
import { metadataField } from '../graphql/labels.ts';
import { PUBLIC_SERVICE } from '../graphql/public-service.ts';
import { EnhancedImageType, UploadType } from '../uploads/upload-types.ts';
import { restType } from '../graphql/rest-types.ts';
import { mutation, query } from '../graphql/root-fields.ts';
import { listFilter, withoutUndefined } from '../schemas/paging.ts';
import { representUpload } from '../uploads/upload-schemas.ts';
import { enhancementInput } from './enhancement-parameters-graphql.ts';
import { destinationSchema, destinationStatus } from './destination-schemas.ts';
import { listEnhancementsQuery } from './enhancement-filter.ts';
import { estimateSchema, expectedImagesSchema } from './estimate-schemas.ts';
import { type EnhancementRepresentation, enhancementSchema, representEnhancement } from './enhancement-schemas.ts';
import { toEnhancementOrder } from './enhancement-order-schemas.ts';
import { engineReportSchema, fidelitySchema, progressSchema } from './engine-report-schemas.ts';
import type { EnhancementNeeds } from './enhancement-commands.ts';

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
      representUpload(requireRecord(await loaders.upload.load(uploadId)), deps.urls),
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

const orderArgs = z.object({
  input: enhancementInput.meta({ description: 'Parameters of the enhancement.' }),
});

query('enhancementEstimate', {
  scope: 'read',
  type: Estimate,
  nullable: true,
  description:
    'Estimates the price of an enhancement without ordering it. Errors: NOT_FOUND, BAD_USER_INPUT, PDF_NOT_ANALYZED, TARGET_RESOLUTION_EXCEEDS_PLAN, TOO_MANY_PIXELS, SIGNED_PDF, RATE_LIMITED.',
  ids: { uploadId: 'upl' },
  args: orderArgs,
  handle: ({ caller, args: { uploadId, input } }, { commands }: EnhancementNeeds) =>
    withOneEnhancement(async () => {
      const { enhancements } = await commands.estimate(caller, uploadId, [toEnhancementOrder(input)]);
      return enhancements[0]!;
    }),
});

query('enhancedImage', {
  scope: 'read',
  type: EnhancedImageType,
  nullable: true,
  description: 'Reads an enhancement. After `deletedAt` it has no result. Errors: NOT_FOUND.',
  ids: { id: 'enh' },
  async handle({ caller, args: { id } }, { enhancements, urls, progress }: EnhancementNeeds) {
    const enhancement = requireRecord(await enhancements.get(caller.account.id, id));
    return representEnhancement(enhancement, urls, await progress.read(enhancement));
  },
});

const { uploadId, status } = listEnhancementsQuery.shape;

query('enhancedImages', {
  scope: 'read',
  type: EnhancedImageConnection,
  description:
    'Lists the enhancements of the account, newest first. Errors: BAD_USER_INPUT, NOT_FOUND for a malformed `uploadId`.',
  args: z.object({
    ...pageArgs,
    ...listFilter,
    uploadId: z
      .string()
      .optional()
      .meta({ description: restText(uploadId) }),
    status,
  }),
  async handle({ caller, args: { first, after, uploadId, ...filter } }, { enhancements, urls }: EnhancementNeeds) {
    const ofUpload = uploadId === undefined ? {} : { uploadId: knownId('upl', uploadId) };
    const request = { ...pageRequest({ first, after }), ...withoutUndefined(filter), ...ofUpload };
    return mapPage(await enhancements.list(caller.account.id, request), (each) => representEnhancement(each, urls));
  },
});

mutation('createEnhancedImage', {
  scope: 'uploads',
  type: EnhancedImageType,
  description:
    'Starts an enhancement of an upload. An upload can have any number of them. A PDF must have been analyzed. While the type of a file is unknown, the enhancement waits. Errors: NOT_FOUND, BAD_USER_INPUT, PDF_NOT_ANALYZED, TARGET_RESOLUTION_EXCEEDS_PLAN, TOO_MANY_PIXELS, SIGNED_PDF, RATE_LIMITED. `errorCode` reports later failures.',
  ids: { uploadId: 'upl' },
  args: orderArgs,
  handle: ({ caller, args: { uploadId, input }, idempotencyKey }, { commands, urls }: EnhancementNeeds) =>
    withOneEnhancement(async () => {
      const orders = [toEnhancementOrder(input)];
      const [ordered] = await commands.requestEnhancements(caller, uploadId, orders, idempotencyKey);
      return representEnhancement(ordered!, urls);
    }),
});

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
  mutation(name, {
    scope: 'uploads',
    type: EnhancedImageType,
    description,
    ids: { id: 'enh' },
    handle: async ({ caller, args: { id }, idempotencyKey }, { commands, urls }: EnhancementNeeds) =>
      representEnhancement(await commands[command](caller, id, idempotencyKey), urls),
  });
}
