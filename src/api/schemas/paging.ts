import { z } from 'zod';
import { isId } from '../../domain/ids.ts';
import { UPLOAD_STATUSES } from '../../domain/upload/upload.ts';
import type { PageRequest } from '../../database/page.ts';
import { filename, numberOf } from './fields.ts';

const page = {
  limit: z
    .string()
    .transform(numberOf)
    .pipe(z.number().int().min(1).max(100))
    .optional()
    .meta({
      description: 'Most items of a page, 1 to 100. Default 20.',
      override: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    }),
  after: z.string().min(1).max(500).optional().meta({ description: 'The `next` of the page before.' }),
};
export const DEFAULT_PAGE_LIMIT = 20;

/** What every list takes. */
export const pageQuery = z.strictObject(page);
export const listUploadsQuery = z.strictObject({
  ...page,
  status: z.enum(UPLOAD_STATUSES).optional(),
  search: filename
    .max(100)
    .optional()
    .meta({ description: 'Only files whose name holds this text, in whatever case.', example: 'holiday' }),
  include: z
    .enum(['enhancements'])
    .optional()
    .meta({ description: 'Each upload comes with its enhancements, oldest first, at most the newest 100.' }),
});
export const listDeliveriesQuery = z.strictObject({
  ...page,
  webhookId: z
    .string()
    .max(100)
    .refine((text) => isId('whk', text), 'expected the id of a webhook')
    .optional()
    .meta({ description: 'Only what went to this endpoint.', example: 'whk_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
});

/** What a list is asked for, with the default filled in. */
export function pageRequest(query: z.output<typeof pageQuery>): PageRequest {
  const { limit = DEFAULT_PAGE_LIMIT, after } = query;
  return { limit, ...(after === undefined ? {} : { after }) };
}
