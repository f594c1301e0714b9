import { getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/** For `on conflict do update`: sets each of these columns to the value that was to be inserted. */
export function excluded<Name extends string>(table: PgTable, names: readonly Name[]): Record<Name, SQL> {
  const columns = getTableColumns(table);
  const entries = names.map((name) => [name, sql`excluded.${sql.identifier(columns[name]!.name)}`]);
  return Object.fromEntries(entries) as Record<Name, SQL>;
}
