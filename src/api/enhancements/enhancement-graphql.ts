import { z } from 'zod';
import { requireRecord } from '../commands/checks.ts';
import { withOneEnhancement } from '../graphql/input.ts';
import { PUBLIC_SERVICE } from '../graphql/names.ts';
import { recordType, restType } from '../graphql/rest-types.ts';
import { type SchemaPart, mutation, query } from '../graphql/root-fields.ts';
import { idParameter } from '../rest/operation.ts';
import { representUpload, uploadSchema } from '../uploads/upload-schemas.ts';
import { enhancementInput } from './enhancement-parameters-graphql.ts';
import { estimateSchema } from './estimate-schemas.ts';
import { type EnhancementRepresentation, enhancementSchema, representEnhancement } from './enhancement-schemas.ts';
import { toEnhancementOrder } from './enhancement-order-schemas.ts';
import type { EnhancementNeeds } from './enhancement-commands.ts';

const roundedDuration = ({ engineDuration }: EnhancementRepresentation): number | null =>
  engineDuration && Math.round(engineDuration);

const EnhancedImage = restType(enhancementSchema, (t) => ({
  engineDuration: t.int({ nullable: true, resolve: roundedDuration }),
  viesusDuration: t.int({
    nullable: true,
    description: `${PUBLIC_SERVICE} name of \`engineDuration\`.`,
    resolve: roundedDuration,
  }),
  upload: t.field({
    type: recordType(uploadSchema),
    description: 'The enhanced upload.',
    resolve: async ({ uploadId }, _args, { loaders, deps }) =>
      representUpload(requireRecord(await loaders.upload.load(uploadId)), deps.urls),
  }),
}));

const ids = z.object({ uploadId: idParameter('upl') });
const args = z.object({ input: enhancementInput.meta({ description: 'Parameters of the enhancement.' }) });

/** The contract orders one enhancement, and REST a list. */
export const enhancementParts: SchemaPart[] = [
  query('enhancementEstimate', {
    scope: 'read',
    type: recordType(estimateSchema),
    nullable: true,
    description:
      'Estimates the price of an enhancement without ordering it. Errors: NOT_FOUND, BAD_USER_INPUT, PDF_NOT_ANALYZED, TARGET_RESOLUTION_EXCEEDS_PLAN, TOO_MANY_PIXELS, SIGNED_PDF, RATE_LIMITED.',
    ids,
    args,
    handle: ({ caller, args: { uploadId, input } }, { commands }: EnhancementNeeds) =>
      withOneEnhancement(async () => {
        const { enhancements } = await commands.estimate(caller, uploadId, [toEnhancementOrder(input)]);
        return enhancements[0]!;
      }),
  }),

  mutation('createEnhancedImage', {
    scope: 'uploads',
    type: EnhancedImage,
    description:
      'Starts an enhancement of an upload. An upload can have any number of them. A PDF must have been analyzed. While the type of a file is unknown, the enhancement waits. Errors: NOT_FOUND, BAD_USER_INPUT, PDF_NOT_ANALYZED, TARGET_RESOLUTION_EXCEEDS_PLAN, TOO_MANY_PIXELS, SIGNED_PDF, RATE_LIMITED. `errorCode` reports later failures.',
    ids,
    args,
    handle: ({ caller, args: { uploadId, input }, idempotencyKey }, { commands, urls }: EnhancementNeeds) =>
      withOneEnhancement(async () => {
        const orders = [toEnhancementOrder(input)];
        const [ordered] = await commands.requestEnhancements(caller, uploadId, orders, idempotencyKey);
        return representEnhancement(ordered!, urls);
      }),
  }),
];
