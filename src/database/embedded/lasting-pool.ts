import type { QueryConfig, QueryResult } from 'pg';
import type { Connection } from '../postgres/guarded-pool.ts';

type Listener = (payload: string | null) => void;

interface ThreadPool {
  query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult>;
  connect(): Promise<Connection>;
  listen(channel: string, listener: Listener): Promise<() => Promise<void>>;
}

interface Listening {
  channel: string;
  listener: Listener;
  stop: () => Promise<void>;
}

/**
 * Connections to the embedded database that outlast its thread. A connection that began on an earlier thread rejects
 * every query, since its transaction is lost. The query builder recognizes a pool by the word in its class's name.
 */
export class LastingPool {
  #current: ThreadPool;
  readonly #listening = new Set<Listening>();

  constructor(first: ThreadPool) {
    this.#current = first;
  }

  query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult> {
    return this.#current.query(config, values);
  }

  connect(): Promise<Connection> {
    return this.#current.connect();
  }

  async listen(channel: string, listener: Listener): Promise<() => Promise<void>> {
    const listening = { channel, listener, stop: await this.#current.listen(channel, listener) };
    this.#listening.add(listening);
    return async () => {
      this.#listening.delete(listening);
      await listening.stop();
    };
  }

  /** Continues on the pool of another thread. Listeners receive null, since they may have missed notifications. */
  async continueOn(pool: ThreadPool): Promise<void> {
    this.#current = pool;
    for (const listening of this.#listening) {
      listening.stop = await pool.listen(listening.channel, listening.listener);
      listening.listener(null);
    }
  }
}
