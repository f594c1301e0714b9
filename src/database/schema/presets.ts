import { integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { EnhancementParameters } from '@burnish/contract';
import { accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';

/** Versions of presets. A deleted preset keeps one row, so that a later one with its name continues the numbers. */
export const presets = pgTable(
  'presets',
  {
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    name: text('name').notNull(),
    version: integer('version').notNull(),
    parameters: jsonb('parameters').$type<EnhancementParameters>().notNull(),
    createdAt: isoTime('created_at').notNull(),
    deletedAt: isoTime('deleted_at'),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.name, table.version] })],
);
