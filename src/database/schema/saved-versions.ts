import { integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';

/**
 * Versions of saved things, by name. A deleted name keeps one row, so that a later version continues the numbers.
 * @param column of the content
 */
export const savedVersions = <Content>(table: string, column: string) =>
  pgTable(
    table,
    {
      accountId: text('account_id')
        .notNull()
        .references(() => accounts.id),
      name: text('name').notNull(),
      version: integer('version').notNull(),
      content: jsonb(column).$type<Content>().notNull(),
      createdAt: isoTime('created_at').notNull(),
      deletedAt: isoTime('deleted_at'),
    },
    (columns) => [primaryKey({ columns: [columns.accountId, columns.name, columns.version] })],
  );
