import { fileURLToPath } from 'node:url';
import type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import type { PgDatabase } from 'drizzle-orm/pg-core';

/**
 * The query builder, the same for both databases. Of a raw result only `rows` and `rowCount` may be used, and a `bigint` in
 * it is a text. Trouble of the database itself rejects with `DatabaseUnavailable`; see `isDatabaseUnavailable`.
 */
export type Orm = PgDatabase<NodePgQueryResultHKT>;

/** An open, migrated database. */
export interface Database {
  kind: 'postgres' | 'embedded';
  orm: Orm;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  /**
   * Calls back with the payload of each notification on a channel (LISTEN/NOTIFY). On PostgreSQL each listener holds a
   * connection of its own; when that was lost, the callback gets null once it listens again: something may have been missed.
   * @param channel a plain SQL name
   * @returns ends the listening
   */
  listen(channel: string, callback: (payload: string | null) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** SQL files made by drizzle-kit, the same for PostgreSQL and the embedded database. */
export const MIGRATIONS = { migrationsFolder: fileURLToPath(new URL('./migrations', import.meta.url)) };
