import { z } from 'zod';
import { MAX_SAVED_REFERENCE_LENGTH, parseSavedReference, PRESET_LIMITS } from '@burnish/contract';
import { requireRecord } from '../commands/checks.ts';
import { noContent, ok, page } from '../rest/answers.ts';
import { operation } from '../rest/operation.ts';
import { refusal } from '../rest/problem-responses.ts';
import { pageOf, shortListQuery } from '../schemas/paging.ts';
import { presetName, presetSchema, savePresetBody, representPreset } from './preset-schemas.ts';
import type { PresetNeeds } from './preset-commands.ts';

const tag = 'Presets';
const path = '/v1/presets/{name}';
const parameters = z.object({ name: presetName });

const saved = ok('The preset in its latest version.', presetSchema);
const repeated = refusal('The request repeats an earlier one by its key, and its preset has been deleted since.');

/** `/v1/presets`: saved parameters, which orders name instead of repeating them. */
export const presetOperations = [
  operation({
    operationId: 'listPresets',
    graphql: { field: 'presets' },
    scope: 'read',
    method: 'get',
    path: '/v1/presets',
    tag,
    summary: 'List the presets',
    description: 'Each preset in its latest version, by name.',
    query: shortListQuery,
    answer: page(presetSchema),
    handle: async ({ caller, query }, { presets }: PresetNeeds) =>
      pageOf((await presets.list(caller.account.id)).map(representPreset), ({ name }) => name, query),
  }),

  operation({
    operationId: 'getPreset',
    graphql: { field: 'preset' },
    scope: 'read',
    method: 'get',
    path,
    tag,
    summary: 'Read a preset',
    description: 'The latest version, or an earlier one with `@` and its number.',
    parameters: z.object({
      name: z
        .string()
        .max(MAX_SAVED_REFERENCE_LENGTH)
        .meta({ description: 'Name of the preset, or name and version such as `web@3`.', example: 'web@3' }),
    }),
    answer: ok('The preset.', presetSchema),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { name } }, { presets }: PresetNeeds) {
      const wanted = parseSavedReference(name);
      return representPreset(requireRecord(wanted && (await presets.find(caller.account.id, wanted))));
    },
  }),

  operation({
    operationId: 'savePreset',
    graphql: { field: 'savePreset' },
    scope: 'uploads',
    method: 'put',
    path,
    tag,
    summary: 'Save parameters under a name',
    description: [
      'A changed preset gets a new version, which later orders use. Equal parameters change nothing.',
      'An enhancement of an order names `preset` as `web` for the latest version, or as `web@3`. Its own parameters take precedence. The enhancement shows the version.',
      `An account has at most ${PRESET_LIMITS.live} presets with ${PRESET_LIMITS.versions} versions each.`,
    ].join('\n\n'),
    parameters,
    body: savePresetBody,
    example: { enhancements: [{ upscalingFactor: 'X2', outputFormat: 'WEBP' }] },
    answer: { ...saved, responses: { ...saved.responses, '404': repeated } },
    handle: async ({ caller, parameters: { name }, body, idempotencyKey }, { commands }: PresetNeeds) =>
      representPreset(await commands.savePreset(caller, name, body.enhancements[0]!, idempotencyKey)),
  }),

  operation({
    operationId: 'deletePreset',
    graphql: { field: 'deletePreset' },
    scope: 'uploads',
    method: 'delete',
    path,
    tag,
    summary: 'Delete a preset with all versions',
    description:
      'Enhancements keep its parameters and its name. A later preset with the name continues the numbers of the versions.',
    parameters,
    answer: noContent('The preset is deleted.'),
    failures: ['NOT_FOUND'],
    handle: ({ caller, parameters: { name }, idempotencyKey }, { commands }: PresetNeeds) =>
      commands.deletePreset(caller, name, idempotencyKey),
  }),
];
