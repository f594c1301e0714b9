import { bigint, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import {
  OPEN_ENHANCEMENT_STATUSES,
  type EngineReport,
  type EnhancementResult,
  type EnhancementStatus,
  type Destination,
  type CustomMetadata,
  type ProviderName,
  type FailureCode,
  type WaitingFor,
  type EnhancementParameters,
} from '@burnish/contract';
import { accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';
import { uploads } from './uploads.ts';

/** Statuses of enhancements that wait or run, as a list in SQL. The condition of `enhancements_open` names the same one. */
export const OPEN_ENHANCEMENTS = `('${OPEN_ENHANCEMENT_STATUSES.join("', '")}')`;

export const enhancements = pgTable(
  'enhancements',
  {
    id: text('id').primaryKey(),
    uploadId: text('upload_id')
      .notNull()
      .references(() => uploads.id),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    revision: integer('revision').notNull(),
    status: text('status').$type<EnhancementStatus>().notNull(),
    parameters: jsonb('parameters').$type<EnhancementParameters>().notNull(),
    preset: text('preset'),
    provider: text('provider').$type<ProviderName>().notNull(),
    remoteId: text('remote_id'),
    maxCredits: integer('max_credits'),
    creditWaitMs: bigint('credit_wait_ms', { mode: 'number' }).notNull(),
    estimatedCredits: integer('estimated_credits'),
    chargedCredits: integer('charged_credits'),
    result: jsonb('result').$type<EnhancementResult>(),
    engine: jsonb('engine').$type<EngineReport>(),
    reusedFrom: text('reused_from'),
    basedOn: text('based_on'),
    destination: jsonb('destination').$type<Destination>(),
    waitingFor: text('waiting_for').$type<WaitingFor>(),
    errorCode: text('error_code').$type<FailureCode>(),
    errorDetail: text('error_detail'),
    createdAt: isoTime('created_at').notNull(),
    startedAt: isoTime('started_at'),
    finishedAt: isoTime('finished_at'),
    reference: text('reference'),
    customMetadata: jsonb('custom_metadata').$type<CustomMetadata>(),
    /** The API key that ordered it, also through a batch. Not a foreign key: the record outlives the key. Null: unknown */
    keyId: text('key_id'),
    /** The three facts that identify an equal request */
    sourceSha256: text('source_sha256'),
    fingerprint: text('fingerprint'),
    engineVersion: text('engine_version'),
  },
  (table) => [
    index('enhancements_newest').on(table.accountId, table.createdAt.desc(), table.id.desc()),
    index('enhancements_by_status').on(table.status, table.createdAt),
    index('enhancements_newest_by_status').on(table.accountId, table.status, table.createdAt.desc(), table.id.desc()),
    index('enhancements_newest_by_reference')
      .on(table.accountId, table.reference, table.createdAt.desc(), table.id.desc())
      .where(sql`reference is not null`),
    index('enhancements_of_upload').on(table.uploadId, table.createdAt, table.id),
    index('enhancements_awaiting_credits')
      .on(table.accountId, table.createdAt)
      .where(sql`status = 'AWAITING_CREDITS'`),
    index('enhancements_open')
      .on(table.accountId, table.status)
      .where(sql`status in ('QUEUED', 'AWAITING_APPROVAL', 'AWAITING_CREDITS', 'PROCESSING')`),
    index('enhancements_ended')
      .on(table.finishedAt)
      .where(sql`finished_at is not null`),
    index('enhancements_reusable')
      .on(table.accountId, table.sourceSha256, table.fingerprint, table.engineVersion)
      .where(sql`status = 'FINISHED'`),
  ],
);

/**
 * Labels and keys of enhancements that an upload's workflow is about to accept. The gateway writes them first. The first
 * write of the record, by the gateway or by the workflow, copies them.
 */
export const enhancementLabels = pgTable(
  'enhancement_labels',
  {
    enhancementId: text('enhancement_id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    reference: text('reference'),
    customMetadata: jsonb('custom_metadata').$type<CustomMetadata>(),
    keyId: text('key_id'),
    createdAt: isoTime('created_at').notNull(),
  },
  (table) => [index('enhancement_labels_age').on(table.createdAt)],
);
