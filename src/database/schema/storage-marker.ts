import { pgTable, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

/** The marker that the instance expects in its storage: one row, or none before the first start. */
export const storageMarkers = pgTable('storage_markers', {
  /** Always `storage`, so that there is one row */
  name: text('name').primaryKey(),
  id: text('id').notNull(),
  /** Null until a start has written the marker into storage */
  writtenAt: isoTime('written_at'),
});
