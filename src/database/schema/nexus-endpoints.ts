import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { EndpointScope } from '@burnish/contract';
import { accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';

export const nexusEndpoints = pgTable('nexus_endpoints', {
  name: text('name').primaryKey(),
  accountId: text('account_id')
    .notNull()
    .references(() => accounts.id),
  scopes: jsonb('scopes').$type<EndpointScope[]>().notNull(),
  /** Hex SHA-256 of the token */
  tokenHash: text('token_hash').notNull(),
  tokenCreatedAt: isoTime('token_created_at').notNull(),
  previousTokenHash: text('previous_token_hash'),
  previousTokenUntil: isoTime('previous_token_until'),
  /** When a token ended at once, and with it the tickets of its operations; null before */
  ticketsSince: isoTime('tickets_since'),
  createdAt: isoTime('created_at').notNull(),
});
