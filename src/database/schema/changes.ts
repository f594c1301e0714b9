import { bigint, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import type { Enhancement, Upload } from '@burnish/contract';
import { isoTime } from './column-types.ts';
import { uploads } from './uploads.ts';

export const changes = pgTable(
  'changes',
  {
    uploadId: text('upload_id')
      .notNull()
      .references(() => uploads.id),
    /** 1, 2, 3 … within the upload */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    accountId: text('account_id').notNull(),
    subject: text('subject').$type<'upload' | 'enhancement'>().notNull(),
    subjectId: text('subject_id').notNull(),
    revision: integer('revision').notNull(),
    snapshot: jsonb('snapshot').$type<Upload | Enhancement>().notNull(),
    /** The workflow's description of the change; null for a change that no workflow wrote */
    sentence: text('sentence'),
    at: isoTime('at')
      .notNull()
      .default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.seq] }), index('changes_at').on(table.at)],
);
