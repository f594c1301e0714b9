import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { enhancementSchema } from '../uploads/upload-schemas.ts';
import { pageQuery } from '../schemas/paging.ts';
import { acceptedAnswer, answer, idempotencyHeader, problems } from './responses.ts';

const path = z.object({
  id: z.string().meta({ description: 'Id of the enhancement', example: 'enh_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
});
const listing = z.object({ items: z.array(enhancementSchema), next: z.string().nullable() });

function command(operationId: string, summary: string, description: string): ZodOpenApiPathsObject[string] {
  return {
    post: {
      operationId,
      tags: ['Enhancements'],
      summary,
      description,
      requestParams: { path, header: idempotencyHeader },
      responses: {
        '202': acceptedAnswer('The enhancement as it now stands.', enhancementSchema),
        ...problems('NOT_FOUND'),
      },
    },
  };
}

export const enhancementPaths: ZodOpenApiPathsObject = {
  '/v1/enhancements': {
    get: {
      operationId: 'listEnhancements',
      tags: ['Enhancements'],
      summary: 'List enhancements, newest first',
      requestParams: { query: pageQuery },
      responses: { '200': answer('A page. The header `Link` names the next one.', listing), ...problems() },
    },
  },
  '/v1/enhancements/{id}': {
    get: {
      operationId: 'getEnhancement',
      tags: ['Enhancements'],
      summary: 'Read an enhancement',
      requestParams: { path },
      responses: { '200': answer('The enhancement as it stands.', enhancementSchema), ...problems('NOT_FOUND') },
    },
  },
  '/v1/enhancements/{id}/approve': command(
    'approveEnhancement',
    'Approve the estimated credits',
    'For an enhancement that is AWAITING_APPROVAL because its estimate is above `maxCredits`. It waits for 7 days.',
  ),
  '/v1/enhancements/{id}/reject': command(
    'rejectEnhancement',
    'Reject the estimated credits',
    'The enhancement ends as ERROR with APPROVAL_REJECTED, and nothing is charged.',
  ),
  '/v1/enhancements/{id}/cancel': command(
    'cancelEnhancement',
    'Cancel an enhancement',
    'Its credits are released. One that has ended stays as it is.',
  ),
};
