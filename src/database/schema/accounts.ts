import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { RETENTION_DAYS, type AccountReceipt, type AccountTier, type Scope } from '@burnish/contract';
import { isoTime } from './column-types.ts';

export const plans = pgTable('plans', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  maxResolution: integer('max_resolution').notNull(),
  creditsPerPeriod: integer('credits_per_period').notNull(),
  requestsPerMinute: integer('requests_per_minute').notNull(),
  jobsAtOnce: integer('jobs_at_once').notNull(),
  fairnessWeight: integer('fairness_weight').notNull(),
  maxStoredBytes: bigint('max_stored_bytes', { mode: 'number' }).notNull(),
});

export const accounts = pgTable(
  'accounts',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    plan: text('plan')
      .notNull()
      .references(() => plans.id),
    creditsPerPeriod: integer('credits_per_period'),
    requestsPerMinute: integer('requests_per_minute'),
    jobsAtOnce: integer('jobs_at_once'),
    maxStoredBytes: bigint('max_stored_bytes', { mode: 'number' }),
    minRetentionDays: integer('min_retention_days').notNull().default(RETENTION_DAYS.min),
    maxRetentionDays: integer('max_retention_days').notNull().default(RETENTION_DAYS.max),
    allowedTiers: jsonb('allowed_tiers').$type<AccountTier[]>(),
    retentionDays: integer('retention_days').notNull(),
    webhookSecret: text('webhook_secret').notNull(),
    createdAt: isoTime('created_at').notNull(),
    suspendedAt: isoTime('suspended_at'),
    deletedAt: isoTime('deleted_at'),
    /** The account that this is the test account of */
    testOf: text('test_of').references((): AnyPgColumn => accounts.id),
  },
  (table) => [
    uniqueIndex('accounts_test_of')
      .on(table.testOf)
      .where(sql`deleted_at is null`),
  ],
);

/** Counts of the data that a deletion removes; complete once no upload of the account is left. */
export const accountReceipts = pgTable('account_receipts', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id),
  receipt: jsonb('receipt').$type<AccountReceipt>().notNull(),
});

export const apiKeys = pgTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    name: text('name').notNull(),
    /** First characters of the key, which let a person distinguish keys */
    prefix: text('prefix').notNull(),
    /** Hex SHA-256 of the key */
    hash: text('hash').notNull(),
    createdAt: isoTime('created_at').notNull(),
    lastUsedAt: isoTime('last_used_at'),
    lastUsedAddress: text('last_used_address'),
    scopes: jsonb('scopes').$type<Scope[]>().notNull(),
    expiresAt: isoTime('expires_at'),
    /** Burnish created the key for itself: for sign-in links, or for commands on its machine */
    internal: boolean('internal').notNull().default(false),
  },
  (table) => [
    uniqueIndex('api_keys_hash').on(table.hash),
    index('api_keys_account').on(table.accountId, table.createdAt),
  ],
);
