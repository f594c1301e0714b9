import { pgTable, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

/**
 * Passwords of PDFs. Not a foreign key: a password is written together with the record of its upload, or before it. A
 * sweep removes one without a record.
 */
export const uploadPasswords = pgTable('upload_passwords', {
  uploadId: text('upload_id').primaryKey(),
  /** Encrypted by the vault */
  secret: text('secret').notNull(),
  createdAt: isoTime('created_at').notNull(),
});
