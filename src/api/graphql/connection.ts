import { z } from 'zod';
import { type Page, type PageRequest, assertPageSize, timeCursor } from '../../database/page.ts';
import { pageQuery } from '../schemas/paging.ts';
import { builder, type ObjectRefOf } from './builder.ts';
import { restText } from './described-schema.ts';

/** Default number of items in a page. */
export const DEFAULT_PAGE_SIZE = 20;

/** An item of a list, ordered by time and id, newest first. */
export interface Listed {
  id: string;
  createdAt: string;
}

const PageInfo = builder
  .objectRef<{ endCursor: string | null; startCursor: string | null; hasNextPage: boolean }>('PageInfo')
  .implement({
    description: 'Position of a page in its list. Lists are read forwards, newest first.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether the list has older items.' }),
      hasPreviousPage: t.boolean({
        description: 'Always false: lists are read forwards only.',
        resolve: () => false,
      }),
      startCursor: t.exposeString('startCursor', {
        nullable: true,
        description: 'Cursor of the first item; null on an empty page.',
      }),
      endCursor: t.exposeString('endCursor', {
        nullable: true,
        description: 'Cursor of the last item, for `after` of the next page; null on an empty page.',
      }),
    }),
  });

/** Arguments of every long list. */
export const pageArgs = {
  first: z
    .int()
    .default(DEFAULT_PAGE_SIZE)
    .meta({ description: restText(pageQuery.shape.limit) }),
  after: z.string().optional().meta({
    description: '`endCursor` of the previous page, or the cursor of an item. Absent: the first page.',
  }),
};

/** @returns the requested page @throws Failure BAD_USER_INPUT for a size out of bounds, with its GraphQL name */
export function pageRequest({ first, after }: { first: number; after?: string | undefined }): PageRequest {
  assertPageSize(first, 'first');
  return { limit: first, ...(after === undefined ? {} : { after }) };
}

const toCursor = ({ createdAt, id }: Listed): string => timeCursor.encode([createdAt, id]);

/** A Relay connection of a list of nodes. */
export function connectionType(type: ObjectRefOf<Listed>): ObjectRefOf<Page<Listed>> {
  const { name } = type;
  const edge = builder.objectRef<Listed>(`${name}Edge`).implement({
    description: `One ${name} in a list.`,
    fields: (t) => ({
      cursor: t.string({ description: 'Position in the list.', resolve: toCursor }),
      node: t.field({ type, description: `The ${name}.`, resolve: (node) => node }),
    }),
  });
  return builder.objectRef<Page<Listed>>(`${name}Connection`).implement({
    description: `A page of a list of ${name}, newest first.`,
    fields: (t) => ({
      edges: t.field({ type: [edge], description: 'The items with their cursors.', resolve: ({ items }) => items }),
      nodes: t.field({ type: [type], description: 'The items.', resolve: ({ items }) => items }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Position of the page.',
        resolve: ({ items, nextCursor }) => ({
          startCursor: items[0] === undefined ? null : toCursor(items[0]),
          endCursor: items.length === 0 ? null : toCursor(items.at(-1)!),
          hasNextPage: nextCursor !== null,
        }),
      }),
    }),
  });
}
