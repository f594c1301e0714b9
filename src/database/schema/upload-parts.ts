import { bigint, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

/**
 * Resumable uploads, from their creation until some time after their deadline. Not a foreign key: the row is written
 * before the record of its upload.
 */
export const resumableUploads = pgTable(
  'resumable_uploads',
  {
    uploadId: text('upload_id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** Bytes */
    length: bigint('length', { mode: 'number' }).notNull(),
    /** Bytes in storage, from the first one on without a gap */
    offset: bigint('offset', { mode: 'number' }).notNull().default(0),
    parts: integer('parts').notNull().default(0),
    /** `Upload-Metadata` as the client sent it, encrypted, since it may have a URL */
    metadata: text('metadata').notNull(),
    expiresAt: isoTime('expires_at').notNull(),
  },
  (table) => [index('resumable_uploads_expiry').on(table.expiresAt)],
);

/** Stored parts of resumable uploads. */
export const uploadParts = pgTable(
  'upload_parts',
  {
    uploadId: text('upload_id')
      .notNull()
      .references(() => resumableUploads.uploadId, { onDelete: 'cascade' }),
    /** Byte of the original at which the part starts */
    start: bigint('start', { mode: 'number' }).notNull(),
    objectKey: text('object_key').notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.start] })],
);
