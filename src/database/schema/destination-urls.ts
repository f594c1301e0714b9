import { pgTable, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

/**
 * Presigned URLs of pending destinations. Not a foreign key: a URL is written before or with the record of its enhancement. A sweep
 * removes a URL without a pending destination.
 */
export const destinationUrls = pgTable('destination_urls', {
  enhancementId: text('enhancement_id').primaryKey(),
  secret: text('secret').notNull(),
  createdAt: isoTime('created_at').notNull(),
});
