import { bigserial, index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { AuditAction, AuditActor, AuditDetails } from '@burnish/contract';
import { accounts } from './accounts.ts';
import { isoTime } from './column-types.ts';

/** Append-only: a trigger refuses UPDATE, DELETE and TRUNCATE. */
export const auditEntries = pgTable(
  'audit_entries',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    /** Null for changes of the instance, such as of a plan */
    accountId: text('account_id').references(() => accounts.id),
    at: isoTime('at').notNull(),
    actor: text('actor').$type<AuditActor['actor']>().notNull(),
    /** Not a foreign key: the entry outlives the key */
    keyId: text('key_id'),
    address: text('address'),
    action: text('action').$type<AuditAction>().notNull(),
    subjectId: text('subject_id'),
    details: jsonb('details').$type<AuditDetails>().notNull(),
    /** Unique key of an action that happens only once, so that repetitions of its request add no entry */
    once: text('once'),
  },
  (table) => [
    index('audit_entries_newest').on(table.accountId, table.seq.desc()),
    uniqueIndex('audit_entries_once').on(table.accountId, table.once),
  ],
);
