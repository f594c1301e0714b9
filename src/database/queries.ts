import { and, eq, getTableColumns, gte, lt, sql, type Column, type SQL } from 'drizzle-orm';
import { PgDialect, type PgTable, type PreparedQueryConfig } from 'drizzle-orm/pg-core';
import type { QueryResult } from 'pg';
import type { Orm } from './database.ts';

/** Whether a column contains a text, ignoring case. Escapes the wildcards of LIKE patterns. */
export function holdsText(column: Column, text: string): SQL {
  const literal = text.replace(/[\\%_]/g, (sign) => `\\${sign}`);
  return sql`${column} ilike ${`%${literal}%`}`;
}

/**
 * Builds a prepared statement at its first use, and then runs it on any connection or transaction: building one takes
 * longer than PostgreSQL takes to answer it.
 */
export function onceBuilt<Statement extends object>(build: (orm: Orm) => Statement): (orm: Orm) => Statement {
  let built: Statement | undefined;
  return (orm) => {
    built ??= build(orm);
    const { client } = orm._.session as unknown as { client: unknown };
    return Object.assign(Object.create(built) as Statement, { client });
  };
}

/** Prepares a statement of SQL, as `prepare` does for a query. */
export function prepareSql(orm: Orm, name: string, statement: SQL) {
  const query = new PgDialect().sqlToQuery(statement);
  return orm._.session.prepareQuery<PreparedQueryConfig & { execute: QueryResult }>(query, undefined, name, false);
}

/** A placeholder for each column, for `recordValues`. */
export function placeholders<Name extends string>(columns: Record<Name, Column>): Record<Name, SQL> {
  const entries = Object.keys(columns).map((name) => [name, sql`${sql.placeholder(name)}`]);
  return Object.fromEntries(entries) as Record<Name, SQL>;
}

/** The values of a record for the placeholders of its columns, in the driver's form. A missing value is null. */
export function recordValues(columns: Record<string, Column>, record: object): Record<string, unknown> {
  const given = record as Record<string, unknown>;
  const entries = Object.entries(columns).map(([name, column]) => {
    const value = given[name] ?? null;
    return [name, value === null ? null : column.mapToDriverValue(value)];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** The columns of a table that the database does not fill in by itself. */
function givenColumns(table: PgTable): Record<string, Column> {
  const columns = Object.entries<Column>(getTableColumns(table));
  return Object.fromEntries(columns.filter(([, column]) => !column.hasDefault));
}

/** Inserts the rows of a placeholder, in the form of `toRows`: any number of them in one prepared statement. */
export function insertRows(table: PgTable, placeholder: string, columns = givenColumns(table)): SQL {
  const names = Object.values(columns).map(({ name }) => sql.identifier(name));
  const list = sql.join(names, sql`, `);
  return sql`insert into ${table} (${list})
    select ${list} from jsonb_populate_recordset(null::${table}, ${sql.placeholder(placeholder)}::jsonb)`;
}

/** Records in the form that `insertRows` expects. A missing value is null. */
export function toRows(table: PgTable, records: readonly object[], columns = givenColumns(table)): string {
  const toRow = (record: object) =>
    Object.fromEntries(
      Object.entries(columns).map(([key, { name }]) => [name, (record as Record<string, unknown>)[key]]),
    );
  return JSON.stringify(records.map(toRow));
}

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
