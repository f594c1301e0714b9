import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type {
  BatchItemState,
  BatchPauseReason,
  BatchPrediction,
  BatchStatus,
  BucketDestination,
  EnhancementParameters,
  FailureCode,
} from '@burnish/contract';
import { accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';

export const batches = pgTable(
  'batches',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    revision: integer('revision').notNull(),
    status: text('status').$type<BatchStatus>().notNull(),
    pauseReason: text('pause_reason').$type<BatchPauseReason>(),
    reference: text('reference'),
    parameters: jsonb('parameters').$type<EnhancementParameters>().notNull(),
    preset: text('preset'),
    destination: jsonb('destination').$type<BucketDestination>(),
    maxCredits: integer('max_credits'),
    /** The API key that created it, which orders its items. Null: unknown, or a workflow created it */
    keyId: text('key_id'),
    samples: integer('samples').notNull(),
    prediction: jsonb('prediction').$type<BatchPrediction>(),
    round: integer('round').notNull(),
    halfReported: boolean('half_reported').notNull(),
    troubleReported: boolean('trouble_reported').notNull(),
    createdAt: isoTime('created_at').notNull(),
    closedAt: isoTime('closed_at'),
    approvedAt: isoTime('approved_at'),
    finishedAt: isoTime('finished_at'),
    /** Numbers of items by state. Each change of items changes them in the same statement */
    items: integer('items').notNull().default(0),
    running: integer('running').notNull().default(0),
    finished: integer('finished').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    cancelled: integer('cancelled').notNull().default(0),
    chargedCredits: integer('charged_credits').notNull().default(0),
  },
  (table) => [
    index('batches_newest').on(table.accountId, table.createdAt.desc(), table.id.desc()),
    index('batches_open')
      .on(table.accountId, table.id)
      .where(sql`status not in ('FINISHED', 'CANCELLED')`),
  ],
);

export const batchItems = pgTable(
  'batch_items',
  {
    batchId: text('batch_id')
      .notNull()
      .references(() => batches.id),
    position: integer('position').notNull(),
    key: text('key').notNull(),
    /** Its public part, with the ending of the path */
    url: text('url'),
    /** The complete URL, encrypted; null without one */
    urlSecret: text('url_secret'),
    bucket: text('bucket'),
    reference: text('reference'),
    sample: boolean('sample').notNull().default(false),
    state: text('state').$type<BatchItemState>().notNull().default('PENDING'),
    attempt: integer('attempt').notNull().default(0),
    /** The given upload, or that of `url` or `bucket` */
    uploadId: text('upload_id'),
    /** Null before the start of the item */
    enhancementId: text('enhancement_id'),
    credits: integer('credits'),
    errorCode: text('error_code').$type<FailureCode>(),
    startedAt: isoTime('started_at'),
    endedAt: isoTime('ended_at'),
  },
  (table) => [
    primaryKey({ columns: [table.batchId, table.position] }),
    uniqueIndex('batch_items_key').on(table.batchId, table.key),
    index('batch_items_of_upload')
      .on(table.uploadId)
      .where(sql`upload_id is not null`),
    index('batch_items_by_state').on(table.batchId, table.state, table.position),
  ],
);
