import { mapPage } from '../../database/page.ts';
import { isOver, type RecordedEnhancement } from '../../domain/enhancement/enhancement.ts';
import { requireRecord } from '../commands/checks.ts';
import type { FileUrls } from '../files/file-urls.ts';
import { accepted, acceptedOrFinished, ok, page, type Located } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { preferHeader } from '../rest/preferred-wait.ts';
import { pageRequest, withoutUndefined } from '../schemas/paging.ts';
import { estimateSchema } from './estimate-schemas.ts';
import { listEnhancementsQuery } from './enhancement-filter.ts';
import {
  type EnhancementRepresentation,
  enhancementOrderSchema,
  enhancementSchema,
  representEnhancement,
  toEnhancementOrder,
} from './enhancement-schemas.ts';
import type { Gateway } from '../gateway.ts';

const tag = 'Enhancements';
const parameters = idPath('enh');

const located = (enhancement: RecordedEnhancement, urls: FileUrls): Located<EnhancementRepresentation> => ({
  location: `/v1/enhancements/${enhancement.id}`,
  body: representEnhancement(enhancement, urls),
});

/** An operation that approves, rejects or cancels an enhancement. */
function decision(command: 'approve' | 'reject' | 'cancel', operationId: string, summary: string, description: string) {
  return operation({
    operationId,
    scope: 'uploads',
    method: 'post',
    path: `/v1/enhancements/{id}/${command}`,
    tag,
    summary,
    description,
    parameters,
    answer: accepted('The enhancement in its current state.', enhancementSchema),
    failures: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, parameters: { id }, idempotencyKey }, { commands, urls }: Gateway) =>
      located(await commands[command](caller, id, idempotencyKey), urls),
  });
}

/** `/v1/enhancements`, and the order of one for an upload. */
export const enhancementOperations = [
  operation({
    operationId: 'createEnhancement',
    scope: 'uploads',
    method: 'post',
    path: '/v1/uploads/{id}/enhancements',
    tag,
    summary: 'Order an enhancement of an existing upload',
    description:
      'An upload can have any number of enhancements. It keeps its original. A PDF accepts orders once its analysis has succeeded. While the type of a file is unknown, an order waits.',
    parameters: idPath('upl'),
    body: enhancementOrderSchema,
    headers: preferHeader,
    answer: acceptedOrFinished(
      'The enhancement was accepted.',
      'With `Prefer: wait`: the enhancement has ended.',
      enhancementSchema,
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
    async handle({ parameters, body, idempotencyKey, req, res }, deps: Gateway) {
      const wait = deps.preferredWait(req, res);
      const made = await deps.commands.requestEnhancement(
        wait.caller,
        parameters.id,
        toEnhancementOrder(body),
        idempotencyKey,
      );
      const { id, uploadId, accountId } = made;
      const read = (): ReturnType<typeof deps.enhancements.get> => deps.enhancements.get(accountId, id);
      const ended = await wait.finished(uploadId, read, isOver);
      return { ...located(ended ?? made, deps.urls), finished: ended !== undefined };
    },
  }),

  operation({
    operationId: 'estimateEnhancement',
    scope: 'read',
    method: 'post',
    path: '/v1/uploads/{id}/estimate',
    tag,
    summary: 'Estimate the price of an enhancement and the size of its result',
    description:
      'The body equals the body of an order. Nothing is ordered or charged. The charge is at most `credits`. A reused result costs nothing, nor does one that needed no change.',
    withoutKey: true,
    parameters: idPath('upl'),
    body: enhancementOrderSchema,
    answer: ok('The estimate.', estimateSchema),
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
    handle: ({ caller, parameters: { id }, body }, { commands }: Gateway) =>
      commands.estimate(caller, id, toEnhancementOrder(body)),
  }),

  operation({
    operationId: 'listEnhancements',
    scope: 'read',
    method: 'get',
    path: '/v1/enhancements',
    tag,
    summary: 'List enhancements, newest first',
    description: 'Includes the enhancements of all uploads of the account, or of one with `uploadId`.',
    query: listEnhancementsQuery,
    answer: page(enhancementSchema),
    async handle({ caller, query: { limit, after, ...filter } }, { enhancements, urls }: Gateway) {
      const request = { ...pageRequest({ limit, after }), ...withoutUndefined(filter) };
      return mapPage(await enhancements.list(caller.account.id, request), (each) => representEnhancement(each, urls));
    },
  }),

  operation({
    operationId: 'getEnhancement',
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
    async handle({ caller, parameters: { id } }, { enhancements, urls, progress }: Gateway) {
      const enhancement = requireRecord(await enhancements.get(caller.account.id, id));
      return representEnhancement(enhancement, urls, await progress.read(enhancement));
    },
  }),

  decision(
    'approve',
    'approveEnhancement',
    'Approve the estimated credits',
    'The estimate of an enhancement that is AWAITING_APPROVAL exceeds `maxCredits`. It can be approved within 7 days.',
  ),
  decision(
    'reject',
    'rejectEnhancement',
    'Reject the estimated credits',
    'The enhancement ends as ERROR with APPROVAL_REJECTED. Nothing is charged.',
  ),
  decision(
    'cancel',
    'cancelEnhancement',
    'Cancel an enhancement',
    'Burnish releases the reserved credits. An enhancement that has ended otherwise answers CONFLICT.',
  ),
];
