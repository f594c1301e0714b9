import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { EndpointScope } from '../../domain/accounts/nexus-endpoint.ts';
import { accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';

export const nexusEndpoints = pgTable('nexus_endpoints', {
  name: text('name').primaryKey(),
  accountId: text('account_id')
    .notNull()
    .references(() => accounts.id),
  /** Of earlier versions, which trusted the namespace of a caller. Their processes refuse every caller of an empty one. */
  callerNamespace: text('caller_namespace').notNull().default(''),
  scopes: jsonb('scopes').$type<EndpointScope[]>().notNull().default(['enhance']),
  /** Hex SHA-256 of the token; null: no call is accepted */
  tokenHash: text('token_hash'),
  tokenCreatedAt: isoTime('token_created_at'),
  previousTokenHash: text('previous_token_hash'),
  previousTokenUntil: isoTime('previous_token_until'),
  createdAt: isoTime('created_at').notNull(),
});
