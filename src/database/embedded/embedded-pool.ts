import { types as pgTypes, type CustomTypesConfig, type QueryConfig, type QueryResult } from 'pg';
import type { Connection } from '../postgres/guarded-pool.ts';
import { DatabaseUnavailable, isUnavailableState } from '../unavailable.ts';
import type { Answer, Request } from './messages.ts';
import { decodeReply, type WireNotification, type WireReply } from './wire.ts';

/** The way to the thread of the database. */
export interface DatabasePort {
  post(request: Request): void;
  /** Whether answers are awaited, for which the process has to stay alive */
  awaiting(some: boolean): void;
}

interface Pending {
  resolve(reply: WireReply): void;
  reject(error: Error): void;
}

type Listener = (payload: string) => void;

/**
 * Connections to the embedded database, in the shape that the query builder knows from PostgreSQL's driver: it calls a pool
 * what has the word in its class's name. All of them share one session of PostgreSQL, and take turns there.
 */
export class EmbeddedPool {
  readonly #port: DatabasePort;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #ids = 0;
  #sessions = 0;
  #stopped: string | undefined;
  #drained: (() => void) | undefined;

  constructor(port: DatabasePort) {
    this.#port = port;
  }

  async query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult> {
    return this.#query((this.#sessions += 1), config, values);
  }

  async connect(): Promise<Connection> {
    const session = (this.#sessions += 1);
    return {
      query: (config, values) => this.#query(session, config, values),
      release: () => {
        if (this.#stopped === undefined) this.#port.post({ kind: 'release', session });
      },
    };
  }

  /** @returns ends the listening */
  async listen(channel: string, listener: Listener): Promise<() => Promise<void>> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    await this.query(`listen ${channel}`);
    return async () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#stopped === undefined) await this.query(`unlisten ${channel}`);
    };
  }

  /** Takes what the thread of the database says. */
  receive(answer: Answer): void {
    if (answer.kind === 'notified') this.#decode(answer.bytes);
    if (answer.kind === 'reply') this.#settle(answer.id)?.resolve(this.#decode(answer.bytes));
    if (answer.kind === 'unavailable') {
      this.#settle(answer.id)?.reject(new DatabaseUnavailable(undefined, answer.message));
    }
  }

  /** Every query rejects from now on. @param reason one sentence */
  stop(reason: string): void {
    this.#stopped ??= reason;
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new DatabaseUnavailable(undefined, reason));
  }

  /** Takes no new query, and waits for those under way. */
  async drain(): Promise<void> {
    this.#stopped ??= 'The embedded database is closed.';
    if (this.#pending.size > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  async #query(session: number, config: string | QueryConfig, values: unknown[] = []): Promise<QueryResult> {
    const {
      text,
      rowMode,
      types = pgTypes,
    }: QueryConfig & { rowMode?: string } = typeof config === 'string' ? { text: config } : config;
    const reply = await this.#send(session, text, values.map(toText));
    if (reply.error !== undefined) {
      throw isUnavailableState(reply.error.code) ? new DatabaseUnavailable(reply.error) : reply.error;
    }
    return toResult(reply, types, rowMode === 'array');
  }

  #send(session: number, text: string, values: (string | null)[]): Promise<WireReply> {
    if (this.#stopped !== undefined) throw new DatabaseUnavailable(undefined, this.#stopped);
    const id = (this.#ids += 1);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      if (this.#pending.size === 1) this.#port.awaiting(true);
      this.#port.post({ kind: 'query', id, session, text, values });
    });
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

/** A value as PostgreSQL reads it from text. @throws TypeError for what has no one text, such as a list */
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
