import pLimit from 'p-limit';
import { DatabaseError, Pool, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';
import { DATABASE_MS } from '../../domain/temporal/timeouts.ts';
import { statementName } from '../statement.ts';
import { DatabaseUnavailable, isUnavailableState } from '../unavailable.ts';

/** The locks of a machine that has gone end with its transaction. */
const IDLE_TRANSACTION = `set idle_in_transaction_session_timeout = ${DATABASE_MS.statement}`;

export interface Connection {
  query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult>;
  release(): void;
}

/**
 * Connections to PostgreSQL that may break at any time without harm to the process. A query on a broken connection
 * rejects with `DatabaseUnavailable`, and its connection is removed from the pool at once. This is necessary because
 * the query builder does not release a connection after a failed `begin`. The query builder recognizes a pool by the
 * word in its class's name.
 */
export class GuardedPool {
  readonly #pool: Pool;

  constructor(options: PoolConfig) {
    this.#pool = new Pool(options);
    // The pool replaces a connection that breaks while idle. Without a listener the error would end the process.
    this.#pool.on('error', ignore);
    // The pool listens to idle connections only. If a connection breaks between two queries of a transaction, the
    // next query reports it.
    this.#pool.on('connect', (client) => {
      client.on('error', ignore);
      client.query(IDLE_TRANSACTION).catch(ignore);
    });
  }

  async query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult> {
    const client = await this.connect();
    try {
      return await client.query(config, values);
    } finally {
      client.release();
    }
  }

  /** @throws DatabaseUnavailable when no connection is available within the pool's timeout */
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
  // The driver takes one statement at a time, and a caller may send several at once.
  const oneByOne = pLimit(1);
  let released = false;
  const release = (error?: Error): void => {
    if (released) return;
    released = true;
    client.release(error);
  };
  const run = async (config: string | QueryConfig, values?: unknown[]): Promise<QueryResult> => {
    if (released) throw new DatabaseUnavailable(undefined, 'The connection to the database is lost.');
    try {
      return await client.query(named(config), values);
    } catch (error) {
      if (error instanceof DatabaseError && !isUnavailableState(error.code)) throw error;
      const lost = error instanceof DatabaseError ? isFatal(error) : isOfConnection(error);
      if (lost) release(error as Error);
      throw lost || error instanceof DatabaseError ? new DatabaseUnavailable(error) : error;
    }
  };
  return {
    query: (config, values) => oneByOne(() => run(config, values)),
    release: () => release(),
  };
}

/** A statement that ends with its name is prepared once on each connection. */
function named(config: string | QueryConfig): QueryConfig {
  const query = typeof config === 'string' ? { text: config } : config;
  const name = query.name ?? statementName(query.text);
  return name === undefined ? query : { ...query, name };
}

function isFatal({ severity }: DatabaseError): boolean {
  return severity === 'FATAL' || severity === 'PANIC';
}

/**
 * pg reports a lost or silent connection as a plain error; a value that it cannot send is a `TypeError` or
 * `RangeError`.
 */
function isOfConnection(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
}

function ignore(): void {}
