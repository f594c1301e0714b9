import { isOver, type RecordedEnhancement } from '@burnish/contract';
import { mapPage } from '../../database/page.ts';
import { requireRecord } from '../commands/checks.ts';
import type { FileUrls } from '../files/file-urls.ts';
import { accepted, acceptedOrFinished, ok, page, type Located } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { preferHeader } from '../changes/preferred-wait.ts';
import { pageRequest, withoutUndefined } from '../schemas/paging.ts';
import { orderEstimateSchema } from './estimate-schemas.ts';
import { listEnhancementsQuery } from './enhancement-filter.ts';
import { createEnhancementsBody, toEnhancementOrders } from './enhancement-order-schemas.ts';
import {
  type EnhancementRepresentation,
  enhancementSchema,
  orderedEnhancementsSchema,
  representEnhancement,
} from './enhancement-schemas.ts';
import type { EnhancementNeeds } from './enhancement-commands.ts';

const tag = 'Enhancements';
const parameters = idPath('enh');
const ORDER_EXAMPLE = { enhancements: [{ mode: 'ENHANCE' as const, upscalingFactor: 'X2' as const }] };

const located = (enhancement: RecordedEnhancement, urls: FileUrls): Located<EnhancementRepresentation> => ({
  location: `/v1/enhancements/${enhancement.id}`,
  body: representEnhancement(enhancement, urls),
});

/** An operation that approves, rejects or cancels an enhancement. */
function decision(command: 'approve' | 'reject' | 'cancel', operationId: string, summary: string, description: string) {
  return operation({
    operationId,
    graphql: { field: operationId },
    scope: 'uploads',
    method: 'post',
    path: `/v1/enhancements/{id}/${command}`,
    tag,
    summary,
    description,
    parameters,
    answer: accepted('The enhancement in its current state.', enhancementSchema),
    failures: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, parameters: { id }, idempotencyKey }, { commands, urls }: EnhancementNeeds) =>
      located(await commands[command](caller, id, idempotencyKey), urls),
  });
}

/** `/v1/enhancements`, and orders of them for an upload. */
export const enhancementOperations = [
  operation({
    operationId: 'createEnhancements',
    scope: 'uploads',
    method: 'post',
    path: '/v1/uploads/{id}/enhancements',
    tag,
    summary: 'Order enhancements of an existing upload',
    description: [
      'Either all enhancements of the request are accepted, or none: a refusal names the first unfit one, such as `enhancements[2].mode`. The answer has their records in the order of the request.',
      'An upload can have any number of enhancements. It keeps its original. A PDF accepts orders once its analysis has succeeded. While the type of a file is unknown, an order waits.',
    ].join('\n\n'),
    parameters: idPath('upl'),
    body: createEnhancementsBody,
    example: ORDER_EXAMPLE,
    headers: preferHeader,
    answer: acceptedOrFinished(
      'All enhancements were accepted. `Location` is the upload.',
      'With `Prefer: wait`: all of them have ended.',
      orderedEnhancementsSchema,
    ),
    failures: [
      'NOT_FOUND',
      'PDF_NOT_ANALYZED',
      'TARGET_RESOLUTION_EXCEEDS_PLAN',
      'TOO_MANY_PIXELS',
      'SIGNED_PDF',
      'UNSUPPORTED_MEDIA_TYPE',
      'FILE_TOO_LARGE',
      'CORRUPT_FILE',
    ],
    async handle({ parameters, body, idempotencyKey, req, res }, deps: EnhancementNeeds) {
      const wait = deps.preferredWait(req, res);
      const { commands, enhancements, urls } = deps;
      const { id } = parameters;
      const made = await commands.requestEnhancements(wait.caller, id, toEnhancementOrders(body), idempotencyKey);
      const read = async (): Promise<RecordedEnhancement[]> =>
        (await Promise.all(made.map((each) => enhancements.get(each.accountId, each.id)))).map(requireRecord);
      const ended = await wait.finished(id, read, (all) => all.every(isOver));
      const records = (ended ?? made).map((each) => representEnhancement(each, urls));
      return { location: `/v1/uploads/${id}`, body: { enhancements: records }, finished: ended !== undefined };
    },
  }),

  operation({
    operationId: 'estimateEnhancements',
    scope: 'read',
    method: 'post',
    path: '/v1/uploads/{id}/estimate',
    tag,
    summary: 'Estimate the prices of enhancements and the sizes of their results',
    description:
      'The body equals the body of an order. Nothing is ordered or charged. The charge is at most `credits`. A reused result costs nothing, nor does one that needed no change.',
    withoutKey: true,
    parameters: idPath('upl'),
    body: createEnhancementsBody,
    example: ORDER_EXAMPLE,
    answer: ok('The estimate.', orderEstimateSchema),
    failures: [
      'NOT_FOUND',
      'PDF_NOT_ANALYZED',
      'TARGET_RESOLUTION_EXCEEDS_PLAN',
      'SIGNED_PDF',
      'TOO_MANY_PIXELS',
      'PROCESSING_LIMIT',
      'ORIGINAL_DAMAGED',
      'RATE_LIMITED',
    ],
    handle: ({ caller, parameters: { id }, body }, { commands }: EnhancementNeeds) =>
      commands.estimate(caller, id, toEnhancementOrders(body)),
  }),

  operation({
    operationId: 'listEnhancements',
    graphql: { field: 'enhancedImages' },
    scope: 'read',
    method: 'get',
    path: '/v1/enhancements',
    tag,
    summary: 'List enhancements, newest first',
    description: 'Includes the enhancements of all uploads of the account, or of one with `uploadId`.',
    query: listEnhancementsQuery,
    answer: page(enhancementSchema),
    async handle({ caller, query: { limit, after, ...filter } }, { enhancements, urls }: EnhancementNeeds) {
      const request = { ...pageRequest({ limit, after }), ...withoutUndefined(filter) };
      return mapPage(await enhancements.list(caller.account.id, request), (each) => representEnhancement(each, urls));
    },
  }),

  operation({
    operationId: 'getEnhancement',
    graphql: { field: 'enhancedImage' },
    scope: 'read',
    method: 'get',
    path: '/v1/enhancements/{id}',
    tag,
    summary: 'Read an enhancement',
    description:
      'The signed URL of the result stays the same for an hour, and is valid for 23 to 24 hours. Read the enhancement again for a new URL.',
    parameters,
    answer: ok('The enhancement in its current state.', enhancementSchema),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { id } }, { enhancements, urls, progress }: EnhancementNeeds) {
      const enhancement = requireRecord(await enhancements.get(caller.account.id, id));
      return representEnhancement(enhancement, urls, await progress.read(enhancement));
    },
  }),

  decision(
    'approve',
    'approveEnhancement',
    'Approve an enhancement',
    'An enhancement that is AWAITING_APPROVAL exceeds `maxCredits`, or drops pages. It can be approved within 7 days.',
  ),
  decision(
    'reject',
    'rejectEnhancement',
    'Reject an enhancement',
    'Only an enhancement that is AWAITING_APPROVAL can be rejected. It ends as ERROR with APPROVAL_REJECTED, and nothing is charged.',
  ),
  decision(
    'cancel',
    'cancelEnhancement',
    'Cancel an enhancement',
    'Burnish releases the reserved credits. An enhancement that has ended otherwise answers CONFLICT.',
  ),
];
