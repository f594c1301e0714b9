import { sql, type Column, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { Failure } from '@burnish/contract';
import { isStorableTime } from './schema/column-types.ts';

export interface PageRequest {
  /** 1 to 100 */
  limit: number;
  /** `nextCursor` of the previous page; absent: the first page */
  after?: string;
}

export interface Page<Item> {
  items: Item[];
  /** Null on the last page */
  nextCursor: string | null;
}

/** The same page with other items. */
export function mapPage<Item, Shown>({ items, nextCursor }: Page<Item>, show: (item: Item) => Shown): Page<Shown> {
  return { items: items.map(show), nextCursor };
}

export const MAX_PAGE_SIZE = 100;
const MAX_CURSOR_LENGTH = 500;

/** A cursor in a list ordered by time and id. */
export const timeCursor = cursor(
  z.tuple([z.iso.datetime({ precision: 3 }).refine(isStorableTime), z.string().regex(/^[a-z]+_[0-9a-z]+$/)]),
);
/** A cursor in a list ordered by a text. */
export const textCursor = cursor(z.tuple([z.string()]));
/** A cursor in a list ordered by a sequence number. */
export const seqCursor = cursor(z.tuple([z.int().nonnegative()]));

/**
 * The newest rows first, in the order of an index of the same columns. Their indexes put nulls last, and for another order
 * PostgreSQL would read and sort all rows, even of a column without nulls.
 */
export const newestFirst = (...columns: Column[]): SQL[] => columns.map((column) => sql`${column} desc nulls last`);

/**
 * Rows after a cursor. The comparison covers time and id, so that rows of the same millisecond are neither lost nor
 * repeated.
 */
export function afterTime(createdAt: Column, id: Column, after: [string, string] | undefined): SQL | undefined {
  return after && sql`(${createdAt}, ${id}) < (${after[0]}::timestamptz, ${after[1]}::text)`;
}

/**
 * Number of rows to query: one more than the page, to detect a further page.
 * @throws Failure BAD_USER_INPUT
 */
export function rowsToAskFor({ limit }: PageRequest): number {
  assertPageSize(limit, 'limit');
  return limit + 1;
}

/** @param field the caller's name of the size @throws Failure BAD_USER_INPUT */
export function assertPageSize(size: number, field: string): void {
  if (!Number.isInteger(size) || size < 1 || size > MAX_PAGE_SIZE) {
    throw new Failure('BAD_USER_INPUT', {
      field,
      detail: `Field ${field} has the value ${size}. Send a whole number from 1 to ${MAX_PAGE_SIZE}.`,
    });
  }
}

/** Removes the extra row and makes the cursor from the last remaining row. */
export function toPage<Item>(rows: Item[], { limit }: PageRequest, toCursor: (item: Item) => string): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? toCursor(last) : null };
}

/** A cursor, opaque to callers: base64url of a JSON array. Decoding validates it. */
function cursor<Key>(schema: z.ZodType<Key>) {
  return {
    encode: (key: Key): string => Buffer.from(JSON.stringify(key)).toString('base64url'),
    decode(text: string | undefined): Key | undefined {
      if (text === undefined) return undefined;
      const key = text.length > MAX_CURSOR_LENGTH ? undefined : schema.safeParse(parseJson(text)).data;
      if (key === undefined) {
        throw new Failure('BAD_USER_INPUT', {
          field: 'after',
          detail: 'The cursor is not of this list. Send the one of its previous page, or none for the first page.',
        });
      }
      return key;
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
