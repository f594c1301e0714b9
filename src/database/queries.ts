import { and, eq, getTableColumns, gte, lt, sql, type Column, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/** Whether a column contains a text, ignoring case. Escapes the wildcards of LIKE patterns. */
export function holdsText(column: Column, text: string): SQL {
  const literal = text.replace(/[\\%_]/g, (sign) => `\\${sign}`);
  return sql`${column} ilike ${`%${literal}%`}`;
}

/**
 * Builds a query at its first use and caches it: building one takes longer than PostgreSQL takes to answer it. It
 * waits for the first use because records are also opened for a single transaction, which needs few of the queries.
 */
export function onceBuilt<Query>(build: () => Query): () => Query {
  let built: Query | undefined;
  return () => (built ??= build());
}

/** Filters of a list, besides the states of its records. */
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

/** For `on conflict do update`: sets each of these columns to the value of the rejected insert. */
export function excluded<Name extends string>(table: PgTable, names: readonly Name[]): Record<Name, SQL> {
  const columns = getTableColumns(table);
  const entries = names.map((name) => [name, sql`excluded.${sql.identifier(columns[name]!.name)}`]);
  return Object.fromEntries(entries) as Record<Name, SQL>;
}

/** For `on conflict do update`: the revision of the rejected insert, or a higher one if the record has reached it. */
export function risen(revision: Column): SQL {
  return sql`greatest(excluded.revision, ${revision} + 1)`;
}
