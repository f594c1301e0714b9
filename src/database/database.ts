import type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import type { PgDatabase } from 'drizzle-orm/pg-core';

/**
 * The query builder, the same for both databases. It is typed as node-postgres; of a raw result only `rows` may be used,
 * and in raw results a `bigint` has to be cast, since the two drivers read it differently.
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
