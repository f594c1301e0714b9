import { getTableColumns, sql, type Column, type SQL } from 'drizzle-orm';
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

/** For `on conflict do update`: sets each of these columns to the value of the rejected insert. */
export function excluded<Name extends string>(table: PgTable, names: readonly Name[]): Record<Name, SQL> {
  const columns = getTableColumns(table);
  const entries = names.map((name) => [name, sql`excluded.${sql.identifier(columns[name]!.name)}`]);
  return Object.fromEntries(entries) as Record<Name, SQL>;
}
