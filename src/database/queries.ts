import { and, eq, getTableColumns, gte, lt, sql, type Column, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/** Whether a column contains a text in any case. The signs of LIKE patterns have no meaning here. */
export function holdsText(column: Column, text: string): SQL {
  const literal = text.replace(/[\\%_]/g, (sign) => `\\${sign}`);
  return sql`${column} ilike ${`%${literal}%`}`;
}

/**
 * Builds a query at its first use and keeps it: building one costs more than PostgreSQL takes to answer it. It waits for
 * the first use because records are also opened for a single transaction, which needs few of them.
 */
export function onceBuilt<Query>(build: () => Query): () => Query {
  let built: Query | undefined;
  return () => (built ??= build());
}

/** What a list may be narrowed to, besides the states of its records. */
export interface ListFilter {
  /** Exactly this reference of the caller */
  reference?: string;
  /** ISO 8601; included */
  createdAfter?: string;
  /** ISO 8601; excluded */
  createdBefore?: string;
}

/** The condition of a filter on a table that has these columns. */
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

/** For `on conflict do update`: sets each of these columns to the value of the rejected insert. */
export function excluded<Name extends string>(table: PgTable, names: readonly Name[]): Record<Name, SQL> {
  const columns = getTableColumns(table);
  const entries = names.map((name) => [name, sql`excluded.${sql.identifier(columns[name]!.name)}`]);
  return Object.fromEntries(entries) as Record<Name, SQL>;
}
