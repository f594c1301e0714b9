import { bigserial, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

/** Which record of ours has which id at the hosted service. */
export const hostedIds = pgTable(
  'remote_ids',
  {
    kind: text('kind').$type<'upload' | 'enhancement'>().notNull(),
    remoteId: text('remote_id').notNull(),
    /** Our id */
    subjectId: text('subject_id').notNull(),
    accountId: text('account_id').notNull(),
    /** How an upload got there: fetched from its own address, or streamed from our storage */
    via: text('via').$type<'url' | 'stream'>(),
    createdAt: isoTime('created_at').notNull(),
    /** When the service had the whole file, as far as we know; null before, and of enhancements when they were begun */
    transferredAt: isoTime('placed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.remoteId] }),
    index('remote_ids_subject').on(table.kind, table.subjectId, table.createdAt),
  ],
);

/** Events that the hosted service sent by webhook, stored for a day: to drop repetitions, and for ids that become known later. */
export const hostedEvents = pgTable(
  'remote_events',
  {
    id: text('id').primaryKey(),
    event: text('event').notNull(),
    /** The upload or the enhancement of the event; null without one */
    remoteId: text('remote_id'),
    /** The upload that an enhancement belongs to, where it says so */
    remoteUploadId: text('remote_upload_id'),
    body: text('body').notNull(),
    receivedAt: isoTime('received_at').notNull(),
  },
  (table) => [
    index('remote_events_age').on(table.receivedAt),
    index('remote_events_upload').on(table.remoteUploadId, table.receivedAt),
  ],
);

/** The slots that bound how many enhancements run at the hosted service at once: those held, and those waited for. */
export const hostedSlots = pgTable('remote_places', {
  enhancementId: text('enhancement_id').primaryKey(),
  accountId: text('account_id').notNull(),
  seq: bigserial('seq', { mode: 'number' }).notNull(),
  /** Null while it waits */
  grantedAt: isoTime('granted_at'),
  renewedAt: isoTime('renewed_at').notNull(),
});

/** Uploads that are being created there, with the retention that has to hold meanwhile; see hosted-retention.ts. */
export const hostedRetentions = pgTable('remote_retentions', {
  holder: text('holder').primaryKey(),
  seq: bigserial('seq', { mode: 'number' }).notNull(),
  days: integer('days').notNull(),
  expiresAt: isoTime('expires_at').notNull(),
});

/** What we have last set at the hosted service. */
export const hostedSettings = pgTable('remote_settings', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
  setAt: isoTime('set_at').notNull(),
});
