import { pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';

export const buckets = pgTable(
  'buckets',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    name: text('name').notNull(),
    bucket: text('bucket').notNull(),
    prefix: text('prefix').notNull(),
    endpoint: text('endpoint').notNull(),
    region: text('region').notNull(),
    /** Access key and secret as JSON, encrypted */
    secret: text('secret').notNull(),
    createdAt: isoTime('created_at').notNull(),
  },
  (table) => [uniqueIndex('buckets_name').on(table.accountId, table.name)],
);
