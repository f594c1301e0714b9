import { z } from 'zod';
import { MAX_SAVED_REFERENCE_LENGTH, parseSavedReference, SAVED_LOOK_LIMITS } from '@burnish/contract';
import { requireRecord } from '../commands/checks.ts';
import { noContent, ok, page } from '../rest/answers.ts';
import { operation } from '../rest/operation.ts';
import { pageOf, shortListQuery } from '../schemas/paging.ts';
import { saveLookBody, lookName, lookSchema, lookTrialSchema, representLook, tryLookBody } from './look-schemas.ts';
import type { LookNeeds } from './look-commands.ts';

const tag = 'Looks';
const path = '/v1/looks/{name}';
const parameters = z.object({ name: lookName });
const failures = ['NOT_FOUND', 'CORRUPT_FILE', 'PROCESSING_LIMIT', 'ORIGINAL_DAMAGED', 'RATE_LIMITED'] as const;

/** `/v1/looks`: tone and colour that an account has shown by finished pictures. */
export const lookOperations = [
  operation({
    operationId: 'listLooks',
    graphql: { field: 'looks' },
    scope: 'read',
    method: 'get',
    path: '/v1/looks',
    tag,
    summary: 'List the looks',
    description: 'Each look in its latest version, by name.',
    query: shortListQuery,
    answer: page(lookSchema),
    handle: async ({ caller, query }, { looks }: LookNeeds) =>
      pageOf((await looks.list(caller.account.id)).map(representLook), ({ name }) => name, query),
  }),

  operation({
    operationId: 'getLook',
    graphql: { field: 'look' },
    scope: 'read',
    method: 'get',
    path,
    tag,
    summary: 'Read a look',
    description: 'The latest version, or an earlier one with `@` and its number.',
    parameters: z.object({
      name: z
        .string()
        .max(MAX_SAVED_REFERENCE_LENGTH)
        .meta({ description: 'Name of the look, or name and version such as `warm@3`.', example: 'warm@3' }),
    }),
    answer: ok('The look.', lookSchema),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { name } }, { looks }: LookNeeds) {
      const wanted = parseSavedReference(name);
      return representLook(requireRecord(wanted && (await looks.find(caller.account.id, wanted))));
    },
  }),

  operation({
    operationId: 'tryLook',
    graphql: { field: 'tryLook' },
    scope: 'uploads',
    method: 'post',
    path: '/v1/look-trials',
    tag,
    summary: 'Try a look without saving it',
    description: 'Tells how near the look of finished pictures comes to them, and shows samples with it.',
    withoutKey: true,
    body: tryLookBody,
    answer: ok('The trial.', lookTrialSchema),
    failures: [...failures],
    async handle({ caller, body }, { commands }: LookNeeds) {
      const { look, samples } = await commands.tryLook(caller, body);
      const ids = body.samples ?? [];
      const shown = samples.map((picture, index) => ({ uploadId: ids[index]!, picture }));
      return { proof: look.proof, refusal: look.refused, samples: shown };
    },
  }),

  operation({
    operationId: 'saveLook',
    graphql: { field: 'saveLook' },
    scope: 'uploads',
    method: 'put',
    path,
    tag,
    summary: 'Build a look from finished pictures',
    description: [
      'The look is proved: each picture is left out in turn, and the look of the others corrects it. A look that gains too little is refused with its figures.',
      'A build with other values makes a new version. An enhancement names the look as `mode: {"look": "warm"}` for the latest version, or as `warm@3`.',
      `An account has at most ${SAVED_LOOK_LIMITS.live} looks with ${SAVED_LOOK_LIMITS.versions} versions each.`,
    ].join('\n\n'),
    parameters,
    body: saveLookBody,
    answer: ok('The look in its latest version.', lookSchema),
    failures: [...failures],
    handle: async ({ caller, parameters: { name }, body, idempotencyKey }, { commands }: LookNeeds) =>
      representLook(await commands.saveLook(caller, name, body.pictures, idempotencyKey)),
  }),

  operation({
    operationId: 'deleteLook',
    graphql: { field: 'deleteLook' },
    scope: 'uploads',
    method: 'delete',
    path,
    tag,
    summary: 'Delete a look with all versions',
    description: 'Enhancements keep its values. Orders and presets that name it are refused.',
    parameters,
    answer: noContent('The look is deleted.'),
    failures: ['NOT_FOUND'],
    handle: ({ caller, parameters: { name }, idempotencyKey }, { commands }: LookNeeds) =>
      commands.deleteLook(caller, name, idempotencyKey),
  }),
];
