import { getTableColumns, sql, type Column } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Orm } from './database.ts';

/** A value of a statement. Lists and records are passed as JSON. */
export type StatementValue = string | number | boolean | null;

/**
 * A statement of SQL that stands whole in one file, with values by name: `:accountId`. A value needs a cast where
 * PostgreSQL cannot know its type. Each connection prepares a statement once, by the name that its text ends with.
 * @returns runs it on a connection or a transaction, and returns its rows
 */
export function statement<Row>(name: string, text: string) {
  const plain = text.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
  // Texts and names take turns.
  const parts = `${plain} /* ${name} */`.split(/(?<!:):([a-z]\w*)/i);
  const texts = parts.filter((_, index) => index % 2 === 0);
  const names = parts.filter((_, index) => index % 2 === 1);
  const template = Object.assign(texts, { raw: texts }) as unknown as TemplateStringsArray;
  return async (orm: Orm, values: Record<string, StatementValue>): Promise<Row[]> => {
    const ordered = names.map((each) => {
      const value = values[each];
      if (value === undefined) throw new TypeError(`The statement ${name} needs the value ${each}.`);
      return value;
    });
    const { rows } = await orm.execute(sql(template, ...ordered));
    return rows as Row[];
  };
}

/** The name that the text of a statement ends with; undefined for another text. */
export const statementName = (text: string): string | undefined => /\/\* (\w+) \*\/$/.exec(text)?.[1];

/**
 * Builds a query at its first use on a connection, and keeps it: building takes longer than PostgreSQL takes to answer.
 * A transaction builds its own; use `statement` where that happens often.
 */
export function onceBuilt<Query extends object>(build: (orm: Orm) => Query): (orm: Orm) => Query {
  const built = new WeakMap<Orm, Query>();
  return (orm) => {
    const query = built.get(orm) ?? build(orm);
    built.set(orm, query);
    return query;
  };
}

/** The names of columns as a list in SQL. */
export const columnNames = (columns: Record<string, Column>): string =>
  Object.values(columns)
    .map(({ name }) => `"${name}"`)
    .join(', ');

/** The columns of a table that the database does not fill in by itself. */
export function recordColumns(table: PgTable): Record<string, Column> {
  const columns = Object.entries<Column>(getTableColumns(table));
  return Object.fromEntries(columns.filter(([, column]) => !column.hasDefault));
}

const toValues = (columns: Record<string, Column>, record: object) =>
  Object.fromEntries(
    Object.entries(columns).map(([key, { name }]) => [name, (record as Record<string, unknown>)[key]]),
  );

/** A record as `jsonb_populate_record` reads it, which the planner takes for one row. A missing value is null. */
export const toRow = (columns: Record<string, Column>, record: object): string =>
  JSON.stringify(toValues(columns, record));

/** The same for `jsonb_populate_recordset`, which the planner takes for a hundred rows. */
export const toRows = (columns: Record<string, Column>, records: readonly object[]): string =>
  JSON.stringify(records.map((record) => toValues(columns, record)));
