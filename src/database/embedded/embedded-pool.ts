import { type DatabaseError, types as pgTypes, type CustomTypesConfig, type QueryConfig, type QueryResult } from 'pg';
import type { Connection } from '../postgres/guarded-pool.ts';
import { DatabaseUnavailable, isUnavailableState } from '../unavailable.ts';
import { DatabaseDamaged, isDamagedState } from './damage.ts';
import type { Answer, QueryRequest, Request } from './messages.ts';
import { decodeReply, type WireNotification, type WireReply } from './wire.ts';

export interface DatabasePort {
  post(requests: Request[]): void;
  /**
   * Receives answers at once, without the event loop, until there is enough. A transaction has the database for itself: one that
   * waits for a busy event loop after each statement keeps all others waiting.
   * @param isEnough also ends it: a bounded time
   */
  receiveUntil?(isEnough: () => boolean): void;
  /** Whether replies are pending, which must keep the process alive */
  awaiting(some: boolean): void;
  /** Receives the outcome of each statement: PostgreSQL's error, or undefined */
  answered?(error: DatabaseError | undefined): void;
}

interface Pending {
  resolve(reply: WireReply): void;
  reject(error: Error): void;
}

type Listener = (payload: string) => void;

type StatementOrigin = Pick<QueryRequest, 'session' | 'transaction'>;

const NO_ROWS: QueryResult = { rows: [], rowCount: null, command: '', oid: 0, fields: [] };

/**
 * Connections to the embedded database with the interface of PostgreSQL's driver. The query builder recognizes a pool
 * by the word in its class's name. All connections share one PostgreSQL session and take turns.
 */
export class EmbeddedPool {
  readonly #port: DatabasePort;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #unsent: Request[] = [];
  #ids = 0;
  #sessions = 0;
  /** The session whose transaction is open */
  #open: number | undefined;
  #stopped: string | undefined;
  #drained: (() => void) | undefined;

  constructor(port: DatabasePort) {
    this.#port = port;
  }

  async query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult> {
    return this.#query({ session: (this.#sessions += 1) }, config, values);
  }

  async connect(): Promise<Connection> {
    const session = (this.#sessions += 1);
    let transaction: QueryRequest['transaction'];
    return {
      query: (config, values) => {
        const text = typeof config === 'string' ? config : config.text;
        const isEnd = text === 'commit' || text === 'rollback';
        // The first statement takes `begin` along. A transaction without statements needs no message.
        if (text === 'begin' || (isEnd && transaction === 'begin')) {
          transaction = isEnd ? undefined : 'begin';
          return Promise.resolve(NO_ROWS);
        }
        const origin = { session, transaction };
        // Another one that is open may need the event loop to end.
        const mayStand = !isEnd && transaction !== undefined && (this.#open ?? session) === session;
        if (transaction === 'begin') this.#open ??= session;
        if (isEnd && this.#open === session) this.#open = undefined;
        transaction = transaction === undefined || isEnd ? undefined : 'within';
        return this.#query(origin, config, values, mayStand);
      },
      release: () => {
        if (this.#open === session) this.#open = undefined;
        // Otherwise there is nothing to roll back.
        if (this.#stopped === undefined && transaction === 'within') this.#post({ kind: 'release', session });
      },
    };
  }

  async listen(channel: string, listener: Listener): Promise<() => Promise<void>> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    await this.query(`listen ${channel}`);
    return async () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#stopped === undefined) await this.query(`unlisten ${channel}`);
    };
  }

  receive(answers: Answer[]): void {
    for (const answer of answers) {
      if (answer.kind === 'notified') this.#decode(answer.bytes);
      else if (answer.kind === 'reply') this.#settle(answer.id)?.resolve(this.#decode(answer.bytes));
      else this.#settle(answer.id)?.reject(new DatabaseUnavailable(undefined, answer.message));
    }
  }

  /** Makes every later query reject. @param reason one sentence */
  stop(reason: string): void {
    this.#stopped ??= reason;
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new DatabaseUnavailable(undefined, reason));
  }

  async drain(): Promise<void> {
    this.#stopped ??= 'The embedded database is closed.';
    if (this.#pending.size > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  /** @param mayStand whether the event loop stands still for the answer */
  async #query(
    origin: StatementOrigin,
    config: string | QueryConfig,
    values: unknown[] = [],
    mayStand = false,
  ): Promise<QueryResult> {
    const {
      text,
      rowMode,
      types = pgTypes,
    }: QueryConfig & { rowMode?: string } = typeof config === 'string' ? { text: config } : config;
    const reply = await this.#send({ ...origin, text, values: values.map(toText) }, mayStand);
    this.#port.answered?.(reply.error);
    if (reply.error !== undefined) throw toTrouble(reply.error);
    return toResult(reply, types, rowMode === 'array');
  }

  #send(statement: Omit<QueryRequest, 'kind' | 'id'>, mayStand: boolean): Promise<WireReply> {
    if (this.#stopped !== undefined) throw new DatabaseUnavailable(undefined, this.#stopped);
    const id = (this.#ids += 1);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      if (this.#pending.size === 1) this.#port.awaiting(true);
      this.#post({ kind: 'query', id, ...statement });
      if (!mayStand || this.#port.receiveUntil === undefined) return;
      this.#postUnsent();
      this.#port.receiveUntil(() => !this.#pending.has(id));
    });
  }

  /** Requests that are made until the event loop continues share one message. */
  #post(request: Request): void {
    if (this.#unsent.push(request) === 1) process.nextTick(() => this.#postUnsent());
  }

  #postUnsent(): void {
    if (this.#unsent.length > 0) this.#port.post(this.#unsent.splice(0));
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending !== undefined && this.#pending.delete(id) && this.#pending.size === 0) {
      this.#port.awaiting(false);
      this.#drained?.();
    }
    return pending;
  }

  #decode(bytes: Uint8Array): WireReply {
    return decodeReply(bytes, ({ channel, payload }: WireNotification) => {
      for (const listener of this.#listeners.get(channel) ?? []) queueMicrotask(() => listener(payload));
    });
  }
}

/** A value in PostgreSQL's text format. @throws TypeError for a value without a single text form, such as a list */
function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  throw new TypeError(`Expected a text, a number, a boolean, a date or bytes, but received ${typeof value}.`);
}

function toResult({ fields, rows, rowCount }: WireReply, types: CustomTypesConfig, asArrays: boolean): QueryResult {
  const parsers = fields.map(({ typeId }) => types.getTypeParser(typeId, 'text') as (text: string) => unknown);
  const result = rows.map((row) => {
    const values = row.map((text, index) => (text === null ? null : parsers[index]!(text)));
    return asArrays ? values : Object.fromEntries(values.map((value, index) => [fields[index]!.name, value]));
  });
  return { rows: result, rowCount, command: '', oid: 0, fields: [] };
}

/**
 * SQLSTATE of a lack of permission. The only user of the embedded database may do everything, so that it comes from the
 * file system, which may be read-only.
 */
const NOT_PERMITTED = '42501';

function toTrouble(error: DatabaseError): Error {
  if (isDamagedState(error.code)) return new DatabaseDamaged(error);
  return isUnavailableState(error.code) || error.code === NOT_PERMITTED ? new DatabaseUnavailable(error) : error;
}

type LastingListener = (payload: string | null) => void;

interface ThreadPool {
  query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult>;
  connect(): Promise<Connection>;
  listen(channel: string, listener: LastingListener): Promise<() => Promise<void>>;
}

interface Listening {
  channel: string;
  listener: LastingListener;
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

  async listen(channel: string, listener: LastingListener): Promise<() => Promise<void>> {
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
