import { and, eq, gte, lt, sql, type Column, type SQL } from 'drizzle-orm';

export interface ListFilter {
  /** Exact match of the caller's reference */
  reference?: string;
  /** ISO 8601; inclusive */
  createdAfter?: string;
  /** ISO 8601; exclusive */
  createdBefore?: string;
}

/** The condition of a filter on a table with these columns. */
export function matches(
  { reference, createdAfter, createdBefore }: ListFilter,
  columns: Record<'reference' | 'createdAt', Column>,
): SQL | undefined {
  return and(
    reference === undefined ? undefined : eq(columns.reference, reference),
    createdAfter === undefined ? undefined : gte(columns.createdAt, createdAfter),
    createdBefore === undefined ? undefined : lt(columns.createdAt, createdBefore),
  );
}

/** Whether a column contains a text, ignoring case. Escapes the wildcards of LIKE patterns. */
export function holdsText(column: Column, text: string): SQL {
  const literal = text.replace(/[\\%_]/g, (sign) => `\\${sign}`);
  return sql`${column} ilike ${`%${literal}%`}`;
}
