import { z } from 'zod';
import { MAX_PAGE_SIZE, textCursor, toPage, type Page, type PageRequest } from '../../database/page.ts';
import { parseNumber, reference } from './fields.ts';
import { asTime, moment } from './moment.ts';

const DEFAULT_PAGE_LIMIT = 20;

/** @param id of the parameter in the OpenAPI document */
const pageLimit = (byDefault: number, id: string) =>
  z
    .string()
    .transform(parseNumber)
    .pipe(z.number().int().min(1).max(MAX_PAGE_SIZE))
    .optional()
    .meta({
      description: `Maximum number of items, 1 to ${MAX_PAGE_SIZE}. Default ${byDefault}.`,
      override: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: byDefault },
      param: { id },
    });

/** The query of every long list. */
export const pageQuery = z.strictObject({
  limit: pageLimit(DEFAULT_PAGE_LIMIT, 'Limit'),
  after: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'The `next` of the previous page.', param: { id: 'After' } }),
});

export function pageRequest({ limit = DEFAULT_PAGE_LIMIT, after }: z.output<typeof pageQuery>): PageRequest {
  return { limit, ...(after === undefined ? {} : { after }) };
}

/** The query of a list of at most 100 items, which is one page by default. */
export const shortListQuery = pageQuery.extend({ limit: pageLimit(MAX_PAGE_SIZE, 'LimitOfShortList') });

/**
 * A page of a short list, in the order of the keys.
 * @param keyOf a text that no other item has
 * @throws Failure BAD_USER_INPUT for an invalid cursor
 */
export function pageOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { limit = MAX_PAGE_SIZE, after }: z.output<typeof shortListQuery>,
): Page<Item> {
  const [last] = textCursor.decode(after) ?? [];
  const sorted = items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const rest = last === undefined ? sorted : sorted.filter((item) => keyOf(item) > last);
  return toPage(rest, { limit }, (item) => textCursor.encode([keyOf(item)]));
}

/** The key of a list that is ordered by time, oldest first. */
export const oldestFirst = ({ createdAt, id }: { createdAt: string; id: string }): string => `${createdAt} ${id}`;

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
