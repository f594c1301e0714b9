import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';

export const stagedFiles = pgTable(
  'staged_files',
  {
    uploadId: text('upload_id').primaryKey(),
    objectKey: text('object_key').notNull(),
    createdAt: isoTime('created_at').notNull(),
  },
  (table) => [index('staged_files_age').on(table.createdAt)],
);

export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    key: text('key').notNull(),
    operation: text('operation').notNull(),
    fingerprint: text('fingerprint').notNull(),
    subjectId: text('subject_id').notNull(),
    expiresAt: isoTime('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.key] }),
    index('idempotency_keys_expiry').on(table.expiresAt),
  ],
);
