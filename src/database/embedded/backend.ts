import { protocol, type PGlite } from '@electric-sql/pglite';
import { BACKEND, eachMessage } from './wire.ts';

const { serialize } = protocol;

/**
 * Maximum number of cached prepared statements. It covers the few hundred queries of the records; statements with
 * lists of varying length are evicted.
 */
const MAX_STATEMENTS = 300;

export interface Reply {
  /** PostgreSQL's messages, up to ReadyForQuery */
  bytes: Uint8Array;
  /** I: idle; T: in a transaction; E: in a transaction that has failed */
  status: string;
  notified: boolean;
  failed: boolean;
}

/** One PostgreSQL session on PGlite that speaks the wire protocol, and prepares each statement once. */
export class Backend {
  readonly #pglite: PGlite;
  /** Names by text, in order of last use */
  readonly #statements = new Map<string, string>();
  #named = 0;

  constructor(pglite: PGlite) {
    this.#pglite = pglite;
  }

  /**
   * Runs one prepared statement. Without values, the text may contain several statements.
   * @param begins starts a transaction before the statement, in the same call
   * @throws Error when PostgreSQL has stopped; the reply contains errors of statements
   */
  async execute(text: string, values: readonly (string | null)[] = [], begins = false): Promise<Reply> {
    const begin = begins ? [serialize.query('begin')] : [];
    if (values.length === 0) return this.#send([...begin, serialize.query(text)]);
    const known = this.#statements.get(text);
    const name = known ?? `s${(this.#named += 1)}`;
    const reply = await this.#send([
      ...begin,
      ...(known === undefined ? [...this.#closeOldest(), serialize.parse({ name, text })] : []),
      serialize.bind({ statement: name, values: [...values] }),
      serialize.describe({ type: 'P' }),
      serialize.execute(),
      serialize.sync(),
    ]);
    this.#statements.delete(text);
    if (known !== undefined || reply.parsed) this.#statements.set(text, name);
    return reply;
  }

  #closeOldest(): Uint8Array[] {
    if (this.#statements.size < MAX_STATEMENTS) return [];
    const [text, name] = this.#statements.entries().next().value!;
    this.#statements.delete(text);
    return [serialize.close({ type: 'S', name })];
  }

  async #send(messages: Uint8Array[]): Promise<Reply & { parsed: boolean }> {
    const chunks: Uint8Array[] = [];
    await this.#pglite.execProtocolRawStream(Buffer.concat(messages), {
      syncToFs: false,
      // A view of PostgreSQL's own memory, which the next call overwrites
      onRawData: (data) => chunks.push(data.slice()),
    });
    const bytes = chunks.length === 1 ? chunks[0]! : joined(chunks);
    const reply = { bytes, status: 'I', notified: false, failed: false, parsed: false };
    eachMessage(bytes, (type, start) => {
      if (type === BACKEND.readyForQuery) reply.status = String.fromCharCode(bytes[start]!);
      else if (type === BACKEND.notification) reply.notified = true;
      else if (type === BACKEND.error) reply.failed = true;
      else if (type === BACKEND.parseComplete) reply.parsed = true;
    });
    return reply;
  }
}

function joined(chunks: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
