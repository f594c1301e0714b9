import { z } from 'zod';
import type { PageRequest } from '../../database/page.ts';
import { parseNumber, reference } from './fields.ts';
import { asTime, moment } from './moment.ts';

const DEFAULT_PAGE_LIMIT = 20;

/** The query of every list. */
export const pageQuery = z.strictObject({
  limit: z
    .string()
    .transform(parseNumber)
    .pipe(z.number().int().min(1).max(100))
    .optional()
    .meta({
      description: 'Maximum number of items, 1 to 100. Default 20.',
      override: { type: 'integer', minimum: 1, maximum: 100, default: DEFAULT_PAGE_LIMIT },
    }),
  after: z.string().min(1).max(500).optional().meta({ description: 'The `next` of the previous page.' }),
});

export function pageRequest({ limit = DEFAULT_PAGE_LIMIT, after }: z.output<typeof pageQuery>): PageRequest {
  return { limit, ...(after === undefined ? {} : { after }) };
}

export const listFilter = {
  reference: reference
    .optional()
    .meta({ description: 'Only records with exactly this reference.', example: 'order-4711' }),
  createdAfter: moment
    .optional()
    .meta({ description: 'Only records created at this time or later.', example: '2026-01-31T00:00:00Z', ...asTime }),
  createdBefore: moment
    .optional()
    .meta({ description: 'Only records created before this time.', example: '2026-02-01T00:00:00Z', ...asTime }),
};

/** The fields of a filter without undefined ones. */
export function withoutUndefined<Filter extends object>(
  filter: Filter,
): { [Name in keyof Filter]: Exclude<Filter[Name], undefined> } {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as never;
}
