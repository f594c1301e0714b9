import { pgTable, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

/** Passwords of PDFs. No reference: a password is written beside the record of its upload, or before a sweep finds none. */
export const uploadPasswords = pgTable('upload_passwords', {
  uploadId: text('upload_id').primaryKey(),
  /** Encrypted by the vault */
  secret: text('secret').notNull(),
  createdAt: isoTime('created_at').notNull(),
});
