import { index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { Plan } from '../../domain/accounts/account.ts';
import type { Scope } from '../../domain/accounts/scopes.ts';
import { isoTime } from './column-types.ts';

export const accounts = pgTable('accounts', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  plan: text('plan').$type<Plan>().notNull(),
  creditsPerPeriod: integer('credits_per_period').notNull(),
  retentionDays: integer('retention_days').notNull(),
  webhookSecret: text('webhook_secret').notNull(),
  createdAt: isoTime('created_at').notNull(),
});

export const apiKeys = pgTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    name: text('name').notNull(),
    /** First characters of the key, so that a person can tell keys apart */
    prefix: text('prefix').notNull(),
    /** Hex SHA-256 of the key */
    hash: text('hash').notNull(),
    createdAt: isoTime('created_at').notNull(),
    lastUsedAt: isoTime('last_used_at'),
    /** IP address that the last use came from */
    lastUsedAddress: text('last_used_address'),
    /** Keys from before there were scopes have all of them */
    scopes: jsonb('scopes').$type<Scope[]>().notNull().default(['read', 'uploads', 'webhooks', 'keys', 'admin']),
    expiresAt: isoTime('expires_at'),
  },
  (table) => [
    uniqueIndex('api_keys_hash').on(table.hash),
    index('api_keys_account').on(table.accountId, table.createdAt),
  ],
);
