import { DatabaseError, Pool, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';
import { DatabaseUnavailable, isUnavailableState } from '../unavailable.ts';

/** What the query builder asks of a connection. */
export interface Connection {
  query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult>;
  release(): void;
}

/**
 * Connections to PostgreSQL that may break at any time without harm to the process. A query that meets a broken connection
 * rejects with `DatabaseUnavailable`, and its connection leaves the pool at once: the query builder gives no connection back
 * whose `begin` has failed. The query builder knows a pool by the word in its class's name.
 */
export class GuardedPool {
  readonly #pool: Pool;

  constructor(options: PoolConfig) {
    this.#pool = new Pool(options);
    // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
    this.#pool.on('error', ignore);
    // The pool listens to idle connections only. The next query reports one that breaks between two queries of a transaction.
    this.#pool.on('connect', (client) => client.on('error', ignore));
  }

  async query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult> {
    const client = await this.connect();
    try {
      return await client.query(config, values);
    } finally {
      client.release();
    }
  }

  /** @throws DatabaseUnavailable when there is none within the time that the pool allows */
  async connect(): Promise<Connection> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
    return guard(client);
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

function guard(client: PoolClient): Connection {
  let released = false;
  const release = (error?: Error): void => {
    if (released) return;
    released = true;
    client.release(error);
  };
  return {
    async query(config, values) {
      if (released) throw new DatabaseUnavailable(undefined, 'The connection to the database is lost.');
      try {
        // The types of pg know no configuration with values beside it.
        return await client.query(config as QueryConfig, values);
      } catch (error) {
        if (error instanceof DatabaseError && !isUnavailableState(error.code)) throw error;
        const lost = error instanceof DatabaseError ? isFatal(error) : isOfConnection(error);
        if (lost) release(error as Error);
        throw lost || error instanceof DatabaseError ? new DatabaseUnavailable(error) : error;
      }
    },
    release: () => release(),
  };
}

/** Ends its connection too. */
function isFatal({ severity }: DatabaseError): boolean {
  return severity === 'FATAL' || severity === 'PANIC';
}

/** pg says in plain errors that a connection is lost or silent; a value that it cannot send is a `TypeError` or `RangeError`. */
function isOfConnection(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
}

function ignore(): void {}
