import { pgTable, text } from 'drizzle-orm/pg-core';
import { isoTime } from './column-types.ts';

/**
 * Presigned addresses of pending destinations. Not a foreign key: an address is written before or with the record of its
 * enhancement. A sweep removes an address without a pending destination.
 */
export const destinationAddresses = pgTable('destination_addresses', {
  enhancementId: text('enhancement_id').primaryKey(),
  secret: text('secret').notNull(),
  createdAt: isoTime('created_at').notNull(),
});
