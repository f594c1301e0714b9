import { z } from 'zod';
import type { Page, PageRequest } from '../../database/page.ts';
import { assertPageSize, timeCursor } from '../../database/page.ts';
import { reference } from '../schemas/fields.ts';
import { builder } from './builder.ts';

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
    description: 'Where a page of a list stands. Lists are read forwards, the newest first.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether there are older items.' }),
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

/** The arguments of every list. */
export const pageArgs = builder.args((t) => ({
  first: t.int({ defaultValue: DEFAULT_PAGE_SIZE, description: 'Most items of the page, 1 to 100. Default 20.' }),
  after: t.string({ description: '`endCursor` of the page before, or the cursor of an item. Absent: the first page.' }),
}));

const filterSchema = z.object({ reference: reference.optional() });

/** Arguments that filter a list of records. */
export const filterArgs = builder.args((t) => ({
  reference: t.string({ description: 'Only records with exactly this reference.' }),
  createdAfter: t.field({ type: 'DateTime', description: 'Only records created at this time or later.' }),
  createdBefore: t.field({ type: 'DateTime', description: 'Only records created before this time.' }),
}));

/** @returns the filter without absent fields @throws ZodError for an invalid reference */
export function givenFilter<Filter extends object>(
  filter: Filter,
): { [Name in keyof Filter]: Exclude<Filter[Name], null | undefined> } {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => (value ?? null) !== null));
  filterSchema.parse(given);
  return given as never;
}

/** @returns the requested page @throws Failure BAD_USER_INPUT for a size out of bounds, with its GraphQL name */
export function pageRequest({
  first,
  after,
}: {
  first?: number | null | undefined;
  after?: string | null | undefined;
}): PageRequest {
  const limit = first ?? DEFAULT_PAGE_SIZE;
  assertPageSize(limit, 'first');
  return { limit, ...(typeof after === 'string' ? { after } : {}) };
}

const cursorOf = ({ createdAt, id }: Listed): string => timeCursor.encode([createdAt, id]);

/** A Relay connection of a list. @param name of the nodes, such as `Upload` */
export function connectionType<Node extends Listed>(name: string, nodeType: ObjectRefOf<Node>) {
  // The implementation does not depend on the node's type; only the signature does.
  const type = nodeType as unknown as ObjectRefOf<Listed>;
  const edge = builder.objectRef<Listed>(`${name}Edge`).implement({
    description: `One ${name} in a list.`,
    fields: (t) => ({
      cursor: t.string({ description: 'Position in the list.', resolve: cursorOf }),
      node: t.field({ type, description: `The ${name}.`, resolve: (node) => node }),
    }),
  });
  const connection = builder.objectRef<Page<Listed>>(`${name}Connection`).implement({
    description: `A page of a list of ${name}, the newest first.`,
    fields: (t) => ({
      edges: t.field({ type: [edge], description: 'The items with their cursors.', resolve: ({ items }) => items }),
      nodes: t.field({ type: [type], description: 'The items alone.', resolve: ({ items }) => items }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Where the page stands.',
        resolve: ({ items, nextCursor }) => ({
          startCursor: items[0] === undefined ? null : cursorOf(items[0]),
          endCursor: items.length === 0 ? null : cursorOf(items.at(-1)!),
          hasNextPage: nextCursor !== null,
        }),
      }),
    }),
  });
  return connection as unknown as ObjectRefOf<Page<Node>>;
}

type ObjectRefOf<Shape> = PothosSchemaTypes.ObjectRef<(typeof builder)['$inferSchemaTypes'], Shape>;
