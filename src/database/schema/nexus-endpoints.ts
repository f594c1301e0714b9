import { pgTable, text } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';

export const nexusEndpoints = pgTable('nexus_endpoints', {
  name: text('name').primaryKey(),
  accountId: text('account_id')
    .notNull()
    .references(() => accounts.id),
  callerNamespace: text('caller_namespace').notNull(),
  createdAt: isoTime('created_at').notNull(),
});
