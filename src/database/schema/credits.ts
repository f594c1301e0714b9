import { bigserial, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import type { LedgerEntryKind } from '@burnish/contract';
import { accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';

/** Append-only: a trigger refuses UPDATE, DELETE and TRUNCATE. */
export const creditEntries = pgTable(
  'credit_entries',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    /** The period of the entry; a capture or release has the period of its reservation */
    period: text('period').notNull(),
    kind: text('kind').$type<LedgerEntryKind>().notNull(),
    credits: integer('credits').notNull(),
    enhancementId: text('enhancement_id'),
    reference: text('reference'),
    at: isoTime('at').notNull(),
  },
  (table) => [
    uniqueIndex('credit_entries_once_per_enhancement').on(table.enhancementId, table.kind),
    uniqueIndex('credit_entries_once_per_reference').on(table.accountId, table.kind, table.reference),
    index('credit_entries_newest').on(table.accountId, table.seq.desc()),
    check('credit_entries_credits', sql`credits >= 0`),
    check('credit_entries_kind', sql`kind in ('grant', 'top_up', 'reserve', 'release', 'capture')`),
  ],
);

/**
 * The sums of the entries of a period, updated by a trigger on `credit_entries`; the check makes overspending
 * impossible.
 */
export const creditTotals = pgTable(
  'credit_totals',
  {
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    period: text('period').notNull(),
    grants: integer('grants').notNull(),
    topUps: integer('top_ups').notNull(),
    used: integer('used').notNull(),
    reserved: integer('reserved').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.period] }),
    check('credit_totals_never_negative', sql`used >= 0 and reserved >= 0 and grants + top_ups - used - reserved >= 0`),
  ],
);
