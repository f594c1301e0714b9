import { pgTable, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

export const instanceSecrets = pgTable('instance_secrets', {
  name: text('name').primaryKey(),
  /** Base64 of 32 random bytes */
  secret: text('secret').notNull(),
  createdAt: isoTime('created_at').notNull(),
});
