import { z } from 'zod';
import type { PageRequest } from '../../database/page.ts';
import { numberOf } from './fields.ts';

const DEFAULT_PAGE_LIMIT = 20;

/** The query of every list. */
export const pageQuery = z.strictObject({
  limit: z
    .string()
    .transform(numberOf)
    .pipe(z.number().int().min(1).max(100))
    .optional()
    .meta({
      description: 'Most items of a page, 1 to 100. Default 20.',
      override: { type: 'integer', minimum: 1, maximum: 100, default: DEFAULT_PAGE_LIMIT },
    }),
  after: z.string().min(1).max(500).optional().meta({ description: 'The `next` of the page before.' }),
});

/** The page that a query asks for, with the default filled in. */
export function pageRequest({ limit = DEFAULT_PAGE_LIMIT, after }: z.output<typeof pageQuery>): PageRequest {
  return { limit, ...(after === undefined ? {} : { after }) };
}
