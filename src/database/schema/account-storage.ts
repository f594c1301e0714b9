import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

/**
 * The stored bytes of each account: originals and results of uploads that are not deleted, and expected files. Triggers on
 * `uploads` and `enhancements` update it with each change of a row, so that repeated steps count once. They refuse an expected
 * file beyond the bound of the account.
 */
export const accountStorage = pgTable('account_storage', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id),
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
});
