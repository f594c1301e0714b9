import { MAX_TRIED_ORDERS } from '@burnish/contract';
import { ok } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { trialBody, trialSchema } from './trial-schemas.ts';
import type { Trials } from './trials.ts';

interface TrialNeeds {
  trials: Trials;
}

export const trialOperations = [
  operation({
    operationId: 'tryEnhancements',
    graphql: { field: 'enhancementTrial', input: true },
    scope: 'read',
    method: 'post',
    path: '/v1/uploads/{id}/trial',
    tag: 'Trials',
    summary: 'Try enhancements before an order',
    description: [
      `The engine enhances the file at once, and answers with small pictures: the original, and up to ${MAX_TRIED_ORDERS} enhancements beside it. Nothing is ordered, charged or stored.`,
      'The whole picture shows light, colour and cleaned pages. A `part` also shows noise, artefacts and enlarging, as they will be in the result. A trial of a PDF shows one page.',
      'An account has one running trial and a few waiting ones, and a limited number a minute. Above it, the response is `RATE_LIMITED` with `Retry-After`.',
    ].join('\n\n'),
    withoutKey: true,
    parameters: idPath('upl'),
    body: trialBody,
    example: { enhancements: [{ mode: 'NATURAL' as const }, { mode: 'VIVID' as const }] },
    answer: ok('The trial.', trialSchema),
    failures: [
      'NOT_FOUND',
      'CONFLICT',
      'PDF_NOT_ANALYZED',
      'TARGET_RESOLUTION_EXCEEDS_PLAN',
      'SIGNED_PDF',
      'TOO_MANY_PIXELS',
      'PROCESSING_LIMIT',
      'CORRUPT_FILE',
      'ENCRYPTED_PDF',
      'WRONG_PASSWORD',
      'ORIGINAL_DAMAGED',
      'RATE_LIMITED',
    ],
    handle: ({ caller, parameters: { id }, body }, { trials }: TrialNeeds) => trials.tryEnhancements(caller, id, body),
  }),
];
