import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { apiKeys, accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';

/** Sessions of the dashboard. A session belongs to an API key and is deleted with it. */
export const sessions = pgTable(
  'sessions',
  {
    /** Hex SHA-256 of the cookie's token */
    hash: text('hash').primaryKey(),
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    createdAt: isoTime('created_at').notNull(),
    lastSeenAt: isoTime('last_seen_at').notNull(),
  },
  (table) => [index('sessions_key').on(table.keyId), index('sessions_last_seen').on(table.lastSeenAt)],
);

/** Sessions of the operator. They end when the operator's key changes. */
export const operatorSessions = pgTable('operator_sessions', {
  /** Hex SHA-256 of the cookie's token */
  hash: text('hash').primaryKey(),
  /** Hex SHA-256 of the key that opened it */
  keyHash: text('key_hash').notNull(),
  createdAt: isoTime('created_at').notNull(),
  lastSeenAt: isoTime('last_seen_at').notNull(),
});

export const signInLinks = pgTable('sign_in_links', {
  /** Hex SHA-256 of the link's token */
  hash: text('hash').primaryKey(),
  accountId: text('account_id')
    .notNull()
    .references(() => accounts.id),
  expiresAt: isoTime('expires_at').notNull(),
});
