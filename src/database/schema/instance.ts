import { pgTable, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

export const instanceSecrets = pgTable('instance_secrets', {
  name: text('name').primaryKey(),
  /** Base64 of 32 random bytes */
  secret: text('secret').notNull(),
  createdAt: isoTime('created_at').notNull(),
});

/** The marker that the instance expects in its storage: one row, or none before the first start. */
export const storageMarkers = pgTable('storage_markers', {
  /** Always `storage`, so that there is one row */
  name: text('name').primaryKey(),
  id: text('id').notNull(),
  /** Null until a start has written the marker into storage */
  writtenAt: isoTime('written_at'),
});

/** Keys that have encrypted payloads of workflows, by their ids. */
export const payloadKeys = pgTable('payload_keys', {
  id: text('id').primaryKey(),
  usedAt: isoTime('used_at').notNull(),
});
