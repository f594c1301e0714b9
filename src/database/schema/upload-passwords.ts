import { pgTable, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

/**
 * Passwords of PDFs. Not a foreign key: the same statement can write a password and the record of its upload. A sweep
 * removes a password without a record.
 */
export const uploadPasswords = pgTable('upload_passwords', {
  uploadId: text('upload_id').primaryKey(),
  secret: text('secret').notNull(),
  createdAt: isoTime('created_at').notNull(),
});
