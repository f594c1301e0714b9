import { parsePresetReference } from '../../domain/enhancement/preset.ts';
import { requireRecord } from '../commands/checks.ts';
import { EnhancementParametersInput } from '../enhancements/enhancement-parameters-graphql.ts';
import { builder } from '../graphql/builder.ts';
import { restText } from '../graphql/described-schema.ts';
import { withoutNulls } from '../graphql/input.ts';
import { DeletePayload } from '../graphql/record-types.ts';
import { restType } from '../graphql/rest-types.ts';
import { presetName, presetSchema, savePresetBody, representPreset } from './preset-schemas.ts';

const PresetType = restType('SavedPreset', presetSchema);

const nameArg = { required: true, description: restText(presetName) } as const;

builder.queryFields((t) => ({
  preset: t.field({
    scope: 'read',
    type: PresetType,
    nullable: true,
    description: 'Reads a preset in its latest version, or in the one that the name ends with. Errors: NOT_FOUND.',
    args: { name: t.arg.string({ required: true, description: 'Name, or name and version such as `web@3`.' }) },
    resolve: async (_root, { name }, { deps, caller }) => {
      const wanted = parsePresetReference(name);
      return representPreset(requireRecord(wanted && (await deps.presets.find(caller.account.id, wanted))));
    },
  }),
  presets: t.field({
    scope: 'read',
    type: [PresetType],
    description: 'Lists the presets of the account by name, each in its latest version.',
    resolve: async (_root, _args, { deps, caller }) =>
      (await deps.presets.list(caller.account.id)).map(representPreset),
  }),
}));

builder.mutationFields((t) => ({
  savePreset: t.field({
    scope: 'uploads',
    type: PresetType,
    nullable: true,
    description:
      'Saves parameters as the latest version of a preset. Equal parameters make no version. Errors: BAD_USER_INPUT.',
    args: {
      name: t.arg.string(nameArg),
      parameters: t.arg({ type: EnhancementParametersInput, required: true, description: 'The parameters.' }),
    },
    resolve: async (_root, { name, parameters }, { deps, caller, keyFor }, info) => {
      const given = savePresetBody.extend({ name: presetName }).parse(withoutNulls({ name, parameters }));
      return representPreset(await deps.commands.savePreset(caller, given.name, given.parameters, await keyFor(info)));
    },
  }),
  deletePreset: t.field({
    scope: 'uploads',
    type: DeletePayload,
    nullable: true,
    description: 'Deletes a preset with all versions. Enhancements keep its name. Errors: NOT_FOUND.',
    args: { name: t.arg.string(nameArg) },
    resolve: async (_root, { name }, { deps, caller, keyFor }, info) => {
      await deps.commands.deletePreset(caller, name, await keyFor(info));
      return { id: name };
    },
  }),
}));
