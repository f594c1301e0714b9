import { sql, type Column, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { Failure } from '../domain/failures.ts';

/** What a caller asks of a list. */
export interface PageRequest {
  /** 1 to 100 */
  limit: number;
  /** `nextCursor` of the page before; absent: the first page */
  after?: string;
}

export interface Page<Item> {
  items: Item[];
  /** Null on the last page */
  nextCursor: string | null;
}

export const MAX_PAGE_SIZE = 100;
const MAX_CURSOR_LENGTH = 500;

/** A place in a list that is ordered by time and id. */
export const timeCursor = cursor(z.tuple([z.iso.datetime({ precision: 3 }), z.string().regex(/^[a-z]+_[0-9a-z]+$/)]));
/** A place in a list that is ordered by a running number. */
export const seqCursor = cursor(z.tuple([z.int().nonnegative()]));

/** Rows that come after a place: compared as a whole, so that others of the same millisecond are neither lost nor repeated. */
export function afterTime(createdAt: Column, id: Column, after: [string, string] | undefined): SQL | undefined {
  return after && sql`(${createdAt}, ${id}) < (${after[0]}::timestamptz, ${after[1]}::text)`;
}

/**
 * Rows to ask the database for: one more than the page, to detect a further page.
 * @throws Failure BAD_USER_INPUT
 */
export function rowsToAskFor({ limit }: PageRequest): number {
  assertPageSize(limit, 'limit');
  return limit + 1;
}

/** @param field what the caller knows the size by @throws Failure BAD_USER_INPUT */
export function assertPageSize(size: number, field: string): void {
  if (!Number.isInteger(size) || size < 1 || size > MAX_PAGE_SIZE) {
    throw new Failure('BAD_USER_INPUT', { field, detail: `Expected ${field} from 1 to ${MAX_PAGE_SIZE}.` });
  }
}

/** Cuts off the extra row and makes the cursor from the last one that stays. */
export function toPage<Item>(rows: Item[], { limit }: PageRequest, cursorOf: (item: Item) => string): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** Opaque to callers: base64url of a JSON array that is checked when it comes back. */
function cursor<Key>(schema: z.ZodType<Key>) {
  return {
    encode: (key: Key): string => Buffer.from(JSON.stringify(key)).toString('base64url'),
    /** @throws Failure BAD_USER_INPUT when it is none of ours */
    decode(text: string | undefined): Key | undefined {
      if (text === undefined) return undefined;
      const key = text.length > MAX_CURSOR_LENGTH ? undefined : schema.safeParse(parseJson(text)).data;
      if (key === undefined) {
        throw new Failure('BAD_USER_INPUT', { field: 'after', detail: 'The cursor is not valid.' });
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
