import { bigserial, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

export const hostedIds = pgTable(
  'remote_ids',
  {
    kind: text('kind').$type<'upload' | 'enhancement'>().notNull(),
    remoteId: text('remote_id').notNull(),
    subjectId: text('subject_id').notNull(),
    accountId: text('account_id').notNull(),
    /** Transfer of an upload: fetched from its own URL, or streamed from the local storage */
    via: text('via').$type<'url' | 'stream'>(),
    createdAt: isoTime('created_at').notNull(),
    /**
     * Time by which the service had the whole file, as far as known; null before. For enhancements, the time of their
     * start
     */
    transferredAt: isoTime('placed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.remoteId] }),
    index('remote_ids_subject').on(table.kind, table.subjectId, table.createdAt),
  ],
);

/**
 * Webhook events of the hosted service, stored for a day: to drop repetitions, and for ids that are assigned to a
 * record later.
 */
export const hostedEvents = pgTable(
  'remote_events',
  {
    id: text('id').primaryKey(),
    event: text('event').notNull(),
    /** The upload or the enhancement of the event; null without one */
    remoteId: text('remote_id'),
    /** The upload of an enhancement, if the event names it */
    remoteUploadId: text('remote_upload_id'),
    receivedAt: isoTime('received_at').notNull(),
  },
  (table) => [
    index('remote_events_age').on(table.receivedAt),
    index('remote_events_upload').on(table.remoteUploadId, table.receivedAt),
  ],
);

export const hostedSlots = pgTable('remote_slots', {
  enhancementId: text('enhancement_id').primaryKey(),
  accountId: text('account_id').notNull(),
  seq: bigserial('seq', { mode: 'number' }).notNull(),
  /** Null for a waiting enhancement */
  grantedAt: isoTime('granted_at'),
  renewedAt: isoTime('renewed_at').notNull(),
});

/** Uploads that are being created there, with the retention that must apply meanwhile; see hosted-retention.ts. */
export const hostedRetentions = pgTable('remote_retentions', {
  holder: text('holder').primaryKey(),
  seq: bigserial('seq', { mode: 'number' }).notNull(),
  days: integer('days').notNull(),
  expiresAt: isoTime('expires_at').notNull(),
});

/** The last settings that this instance wrote at the hosted service. */
export const hostedSettings = pgTable('remote_settings', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
  setAt: isoTime('set_at').notNull(),
});
