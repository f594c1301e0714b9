import { sql } from 'drizzle-orm';
import { boolean, index, pgTable, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

/** Promised starts of workflows, from before the start until the upload has its file. */
export const uploadStarts = pgTable(
  'upload_starts',
  {
    uploadId: text('upload_id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** Without the records, which have tables of their own. Encrypted, since it has the URL of the file */
    input: text('input').notNull(),
    /** Whether the caller received a failure; such a start is never resumed */
    refused: boolean('refused').notNull().default(false),
    createdAt: isoTime('created_at').notNull(),
  },
  (table) => [
    index('upload_starts_refused')
      .on(table.createdAt)
      .where(sql`refused`),
  ],
);

/** The holder of each lease for a job that only one process runs at a time, and its expiry. */
export const leases = pgTable('leases', {
  name: text('name').primaryKey(),
  holder: text('holder').notNull(),
  expiresAt: isoTime('expires_at').notNull(),
});
