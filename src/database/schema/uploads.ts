import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type {
  PdfAnalysis,
  DeletionReason,
  ProviderName,
  StoredFile,
  UploadStatus,
  UploadSubStatus,
  CustomMetadata,
  FailureCode,
  WaitingFor,
} from '@burnish/contract';
import { accounts } from './accounts.ts';
import { isoTime, sealedAddress } from './column-types.ts';

export const uploads = pgTable(
  'uploads',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    revision: integer('revision').notNull(),
    status: text('status').$type<UploadStatus>().notNull(),
    subStatus: text('sub_status').$type<UploadSubStatus>(),
    waitingFor: text('waiting_for').$type<WaitingFor>(),
    errorCode: text('error_code').$type<FailureCode>(),
    errorDetail: text('error_detail'),
    originalFilename: text('original_filename').notNull(),
    objectKey: text('object_key'),
    file: jsonb('file').$type<StoredFile>(),
    width: integer('width').notNull(),
    height: integer('height').notNull(),
    analysis: jsonb('analysis').$type<PdfAnalysis>(),
    provider: text('provider').$type<ProviderName>().notNull(),
    remoteId: text('remote_id'),
    webhookUrl: sealedAddress('webhook_url'),
    retentionDays: integer('retention_days').notNull(),
    createdAt: isoTime('created_at').notNull(),
    startedAt: isoTime('started_at'),
    finishedAt: isoTime('finished_at'),
    deletedAt: isoTime('deleted_at'),
    /** When the last event lost what a person gave; null before, and for uploads that are not deleted */
    erasedAt: isoTime('erased_at'),
    deletionReason: text('deletion_reason').$type<DeletionReason>(),
    reference: text('reference'),
    customMetadata: jsonb('custom_metadata').$type<CustomMetadata>(),
    /** Bytes that were granted to the upload before its file has a record; null: none */
    expectedBytes: bigint('expected_bytes', { mode: 'number' }),
    /** Number of the last change of this upload or its enhancements; see changes.ts */
    changeSeq: bigint('change_seq', { mode: 'number' }).notNull().default(1),
  },
  (table) => [
    index('uploads_newest').on(table.accountId, table.createdAt.desc(), table.id.desc()),
    index('uploads_by_status').on(table.status, table.createdAt),
    index('uploads_newest_by_reference')
      .on(table.accountId, table.reference, table.createdAt.desc(), table.id.desc())
      .where(sql`reference is not null`),
    index('uploads_deleted')
      .on(table.deletedAt, table.id)
      .where(sql`deleted_at is not null`),
    index('uploads_unerased')
      .on(table.deletedAt, table.id)
      .where(sql`status = 'UPLOAD_DELETED' and erased_at is null`),
    index('uploads_newest_by_status').on(table.accountId, table.status, table.createdAt.desc(), table.id.desc()),
  ],
);
