import { z } from 'zod';
import { parsePresetReference } from '@burnish/contract';
import { requireRecord } from '../commands/checks.ts';
import { restText } from '../graphql/described-schema.ts';
import { DeletePayload } from '../graphql/delete-payload.ts';
import { restType } from '../graphql/rest-types.ts';
import { mutation, query } from '../graphql/root-fields.ts';
import { presetName, presetSchema, savePresetBody, representPreset } from './preset-schemas.ts';
import type { PresetNeeds } from './preset-commands.ts';

const PresetType = restType('SavedPreset', presetSchema);

query('preset', {
  scope: 'read',
  type: PresetType,
  nullable: true,
  description: 'Reads a preset in its latest version, or in the one that the name ends with. Errors: NOT_FOUND.',
  args: z.object({ name: z.string().meta({ description: 'Name, or name and version such as `web@3`.' }) }),
  async handle({ caller, args: { name } }, { presets }: PresetNeeds) {
    const wanted = parsePresetReference(name);
    return representPreset(requireRecord(wanted && (await presets.find(caller.account.id, wanted))));
  },
});

query('presets', {
  scope: 'read',
  type: [PresetType],
  description: 'Lists the presets of the account by name, each in its latest version.',
  handle: async ({ caller }, { presets }: PresetNeeds) => (await presets.list(caller.account.id)).map(representPreset),
});

const { enhancements } = savePresetBody.shape;

mutation('savePreset', {
  scope: 'uploads',
  type: PresetType,
  description:
    'Saves parameters as the latest version of a preset. Equal parameters make no version. Errors: BAD_USER_INPUT.',
  args: z.object({ name: presetName, enhancements }),
  handle: async ({ caller, args, idempotencyKey }, { commands }: PresetNeeds) =>
    representPreset(await commands.savePreset(caller, args.name, args.enhancements[0]!, idempotencyKey)),
});

mutation('deletePreset', {
  scope: 'uploads',
  type: DeletePayload,
  description: 'Deletes a preset with all versions. Enhancements keep its name. Errors: NOT_FOUND.',
  args: z.object({ name: z.string().meta({ description: restText(presetName) }) }),
  async handle({ caller, args: { name }, idempotencyKey }, { commands }: PresetNeeds) {
    await commands.deletePreset(caller, name, idempotencyKey);
    return { id: name };
  },
});
