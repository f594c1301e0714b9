import { toEnhancementOrder } from '../../uploads/upload-orders.ts';
import { representEnhancement } from '../../uploads/upload-schemas.ts';
import { builder } from '../builder.ts';
import { enhancementInputSchema, knownId, parseInput, withInput } from '../input.ts';
import { CreateEnhancedImageInput } from '../inputs.ts';
import { EnhancedImageType } from '../record-types.ts';

builder.mutationFields((t) => ({
  createEnhancedImage: t.field({
    type: EnhancedImageType,
    nullable: true,
    description:
      'Begins an enhancement of an upload; any number of them may refer to one upload. Errors: NOT_FOUND, BAD_USER_INPUT, PDF_NOT_ANALYZED, TARGET_RESOLUTION_EXCEEDS_PLAN, RATE_LIMITED; what comes later is in `errorCode`.',
    args: {
      uploadId: t.arg.id({ required: true, description: 'Id of the upload.' }),
      input: t.arg({ type: CreateEnhancedImageInput, required: true, description: 'What to do.' }),
    },
    resolve: async (_root, { uploadId, input }, { deps, caller, keyFor }, info) => {
      const order = toEnhancementOrder(parseInput(enhancementInputSchema, input));
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
