import { once } from 'node:events';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { type Pool, types as pgTypes, type CustomTypesConfig, type QueryConfig, type QueryResult } from 'pg';
import { keepRunning, type Part } from '../../process/keep-running.ts';
import { makePrivateFolder } from '../private-folder.ts';
import { MIGRATIONS, type Database } from '../database.ts';
import { lockDataFolder } from './data-folder-lock.ts';
import { LastingPool } from './lasting-pool.ts';
import type { Answer, QueryRequest, Request } from './messages.ts';
import type { Connection } from '../postgres/guarded-pool.ts';
import { DatabaseUnavailable, isUnavailableState } from '../unavailable.ts';
import { decodeReply, type WireNotification, type WireReply } from './wire.ts';

/** PostgreSQL's memory is outside of the thread's own heap, which holds few long-lived objects. */
const YOUNG_MB = 8;

/**
 * Opens the database in `<dataDir>/database` in a separate thread, and creates it at the first start. A commit is on
 * disk before it is acknowledged. A thread that ends by itself is started again, at most three times within ten minutes.
 * @param report receives one sentence about each restart
 * @throws Error when another process has the data folder open
 */
export async function openEmbedded(dataDir: string, report: (sentence: string) => void): Promise<Database> {
  const folder = resolve(dataDir);
  await makePrivateFolder(folder);
  const unlock = await lockDataFolder(folder);
  try {
    const first = await startThread(folder);
    let thread = first;
    const pool = new LastingPool(first.pool);
    const stopping = new AbortController();
    const restart = async (): Promise<RunningThread> => {
      thread = await startThread(folder);
      if (stopping.signal.aborted) await thread.close();
      else await pool.continueOn(thread.pool);
      return thread;
    };
    const name = 'The embedded database';
    const ended = keepRunning(first, { name, restart, report, stopping: stopping.signal });
    const orm = drizzle(pool as unknown as Pool);
    await migrate(orm, MIGRATIONS);
    return {
      kind: 'embedded',
      orm,
      async ping() {
        await pool.query('select 1');
      },
      listen: (channel, callback) => pool.listen(channel, callback),
      ended,
      async close() {
        stopping.abort();
        await thread.close();
        await ended;
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

interface RunningThread extends Part {
  pool: EmbeddedPool;
  close(): Promise<void>;
}

async function startThread(folder: string): Promise<RunningThread> {
  const thread = startWorker({ folder });
  const pool = new EmbeddedPool({
    post: (requests: Request[]) => thread.postMessage(requests),
    awaiting: (some) => void (some ? thread.ref() : thread.unref()),
  });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  await whenReady(thread);
  thread.on('message', (answers: Answer[]) => pool.receive(answers));
  thread.on('error', (error: Error) => pool.stop(`The embedded database has stopped: ${error.message}`));
  thread.on('exit', () => pool.stop('The embedded database has stopped.'));
  thread.unref();
  return {
    pool,
    ended,
    async close() {
      await pool.drain();
      thread.ref();
      thread.postMessage([{ kind: 'close' }] satisfies Request[]);
      await ended;
    },
  };
}

/**
 * Waits for the first message of a thread.
 * @throws Error when the thread fails, or ends without a message
 */
export async function whenReady(thread: Worker): Promise<void> {
  const endsEarly = once(thread, 'exit').then(([code]) => {
    throw new Error(`The thread of the embedded database ended with exit code ${String(code)} before it was ready.`);
  });
  await Promise.race([once(thread, 'message'), endsEarly]);
}

/** A run from source must load the TypeScript loader in the thread first. */
function startWorker(workerData: { folder: string }): Worker {
  // The empty environment keeps the process's secrets away from the thread.
  const options = { workerData, env: {}, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./thread.js', import.meta.url), options);
  const loader = new URL('esm/api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx'))).href;
  const url = new URL('./thread.ts', import.meta.url).href;
  const [tsx, thread] = [loader, url].map((address) => JSON.stringify(address));
  // Pending imports alone do not keep a thread alive: the loader works in another thread.
  const code = `const alive = setInterval(() => undefined, 60_000);
    import(${tsx}).then(({ register }) => (register(), import(${thread}))).finally(() => clearInterval(alive));`;
  return new Worker(code, { ...options, eval: true, execArgv: [] });
}

export interface DatabasePort {
  post(requests: Request[]): void;
  /** Whether replies are pending, which must keep the process alive */
  awaiting(some: boolean): void;
}

interface Pending {
  resolve(reply: WireReply): void;
  reject(error: Error): void;
}

type Listener = (payload: string) => void;

type StatementPlace = Pick<QueryRequest, 'session' | 'transaction'>;

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
        const place = { session, transaction };
        transaction = transaction === undefined || isEnd ? undefined : 'within';
        return this.#query(place, config, values);
      },
      release: () => {
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

  async #query(place: StatementPlace, config: string | QueryConfig, values: unknown[] = []): Promise<QueryResult> {
    const {
      text,
      rowMode,
      types = pgTypes,
    }: QueryConfig & { rowMode?: string } = typeof config === 'string' ? { text: config } : config;
    const reply = await this.#send({ ...place, text, values: values.map(toText) });
    if (reply.error !== undefined) {
      throw isUnavailableState(reply.error.code) ? new DatabaseUnavailable(reply.error) : reply.error;
    }
    return toResult(reply, types, rowMode === 'array');
  }

  #send(statement: Omit<QueryRequest, 'kind' | 'id'>): Promise<WireReply> {
    if (this.#stopped !== undefined) throw new DatabaseUnavailable(undefined, this.#stopped);
    const id = (this.#ids += 1);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      if (this.#pending.size === 1) this.#port.awaiting(true);
      this.#post({ kind: 'query', id, ...statement });
    });
  }

  /** Requests that are made until the event loop continues share one message. */
  #post(request: Request): void {
    if (this.#unsent.push(request) === 1) process.nextTick(() => this.#port.post(this.#unsent.splice(0)));
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
