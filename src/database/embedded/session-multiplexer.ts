import type { Backend, Reply } from './backend.ts';
import type { Answer, QueryRequest, Request } from './messages.ts';

/** Maximum time in milliseconds that a commit waits for others that can share its sync to disk. */
const HOLD_MS = 4;
/** Maximum time in milliseconds that a statement waits for a transaction of another session. */
const TRANSACTION_WAIT_MS = 5_000;
/** Maximum number of consecutive reads that overtake writes. */
const OVERTAKING = 20;

/** Writes an empty log record and syncs the log up to it, which makes every earlier commit durable. */
const FLUSH = "select pg_logical_emit_message(false, 'flush', '', true)";

const READS = /^\s*\(?\s*select\b/i;
const TELLS_NOTHING = /^\s*(begin|savepoint|release|lock|rollback)\b/i;

interface Waiting {
  request: QueryRequest;
  since: number;
  isRead: boolean;
}

export interface MultiplexerDeps {
  backend: Pick<Backend, 'execute'>;
  send(answers: Answer[]): void;
  /** Returns requests that have arrived, without waiting */
  poll(): Request[] | undefined;
  /** Maintenance of the database, run between two requests without an open transaction */
  tidy(): Promise<void>;
  now?: () => number;
}

/**
 * Multiplexes many sessions on PGlite's single session, and commits in groups. PostgreSQL runs with asynchronous
 * commit, so a commit returns before it is on disk. Its reply, and every reply that may depend on it, waits until one
 * sync covers them all. No reply reveals data that is not durable. A transaction has exclusive use of the session
 * until it ends.
 */
export class SessionMultiplexer {
  readonly #deps: MultiplexerDeps;
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  #overtaken = 0;
  /** Requests of the session with the open transaction */
  readonly #continued: QueryRequest[] = [];
  #owner: number | undefined;
  #ownerWrote = false;
  /** Answers for the next message: pipelined statements of a transaction share one */
  #ready: Answer[] = [];
  #held: Answer[] = [];
  #heldSince = 0;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(deps: MultiplexerDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  take(requests: Request[]): Promise<void> {
    for (const request of requests) this.#enqueue(request);
    return this.run();
  }

  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    return this.#running;
  }

  get closing(): boolean {
    return this.#closing;
  }

  #enqueue(request: Request): void {
    if (request.kind === 'close') this.#closing = true;
    else if (request.kind === 'release') {
      if (request.session === this.#owner)
        this.#continued.push({ kind: 'query', id: 0, session: request.session, text: 'rollback', values: [] });
    } else if (request.session === this.#owner) this.#continued.push(request);
    else {
      // A read does not overtake an earlier request of its own session.
      const isRead =
        request.transaction === undefined &&
        READS.test(request.text) &&
        !this.#waiting.some((each) => each.request.session === request.session);
      this.#waiting.push({ request, since: this.#now(), isRead });
    }
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    for (;;) {
      for (let arrived = this.#deps.poll(); arrived; arrived = this.#deps.poll())
        arrived.forEach((each) => this.#enqueue(each));
      this.#refuseLate();
      const next = this.#owner === undefined ? this.#nextWaiting() : this.#continued.shift();
      if (next !== undefined) await this.#carryOut(next);
      if (this.#continued.length === 0) this.#send();
      const mayWait = this.#owner !== undefined || next !== undefined;
      if (this.#held.length > 0 && !(mayWait && this.#now() - this.#heldSince < HOLD_MS)) await this.#flush();
      else if (next === undefined) break;
    }
    this.#setTimer();
  }

  /**
   * The next waiting request. A read is short and usually serves a page view, so it overtakes writes, up to
   * `OVERTAKING` times in a row.
   */
  #nextWaiting(): QueryRequest | undefined {
    const read = this.#overtaken < OVERTAKING ? this.#waiting.findIndex(({ isRead }) => isRead) : 0;
    this.#overtaken = read > 0 ? this.#overtaken + 1 : 0;
    return this.#waiting.splice(Math.max(0, read), 1)[0]?.request;
  }

  async #carryOut({ id, session, transaction, text, values }: QueryRequest): Promise<void> {
    if (transaction === 'within' && session !== this.#owner) {
      // A rollback succeeds, so that the caller throws the failure of the first statement.
      const nothing: Answer = { kind: 'reply', id, bytes: new Uint8Array() };
      this.#ready.push(
        text === 'rollback' ? nothing : unavailable(id, 'The transaction of this statement has not begun.'),
      );
      return;
    }
    let reply: Reply;
    try {
      reply = await this.#deps.backend.execute(text, values, transaction === 'begin');
    } catch (error) {
      this.#owner = undefined;
      this.#ready.push(unavailable(id, error));
      return;
    }
    const answer: Answer = { kind: 'reply', id, bytes: reply.bytes };
    const began = this.#owner === undefined;
    if (began) this.#ownerWrote = false;
    this.#ownerWrote ||= !READS.test(text) && !TELLS_NOTHING.test(text) && !(reply.failed && reply.status === 'I');
    if (reply.status !== 'I') {
      if (began) this.#own(session);
      this.#ready.push(answer);
      return;
    }
    this.#disown();
    const wrote = this.#ownerWrote && !/^\s*rollback\s*$/i.test(text);
    if (wrote || this.#held.length > 0) this.#hold(answer);
    else this.#ready.push(answer);
  }

  #send(): void {
    if (this.#ready.length > 0) this.#deps.send(this.#ready.splice(0));
  }

  #own(session: number): void {
    this.#owner = session;
    const isOwn = ({ request }: Waiting): boolean => request.session === session;
    this.#continued.push(...this.#waiting.filter(isOwn).map(({ request }) => request));
    this.#waiting = this.#waiting.filter((each) => !isOwn(each));
  }

  #disown(): void {
    this.#owner = undefined;
    const since = this.#now();
    this.#waiting.unshift(...this.#continued.splice(0).map((request) => ({ request, since, isRead: true })));
  }

  #hold(answer: Answer): void {
    if (this.#held.length === 0) this.#heldSince = this.#now();
    this.#held.push(answer);
  }

  async #flush(): Promise<void> {
    const answers = this.#held;
    this.#held = [];
    try {
      const { bytes, failed, notified } = await this.#deps.backend.execute(FLUSH);
      if (failed) throw new Error('The embedded database cannot write its log.');
      this.#ready.push(...answers, ...(notified ? [{ kind: 'notified' as const, bytes }] : []));
    } catch (error) {
      this.#ready.push(...answers.map((answer) => unavailable('id' in answer ? answer.id : 0, error)));
    }
    this.#send();
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#owner === undefined) await this.#deps.tidy();
  }

  /** Rejects requests that have waited too long for an open transaction to end, instead of executing them late. */
  #refuseLate(): void {
    const now = this.#now();
    while (
      this.#waiting.length > 0 &&
      now - this.#waiting[0]!.since >= TRANSACTION_WAIT_MS &&
      this.#owner !== undefined
    ) {
      const { request } = this.#waiting.shift()!;
      this.#ready.push(unavailable(request.id, 'The embedded database is busy with one long transaction.'));
    }
  }

  #setTimer(): void {
    const now = this.#now();
    const waits = [
      ...(this.#held.length > 0 ? [this.#heldSince + HOLD_MS - now] : []),
      ...(this.#waiting.length > 0 ? [this.#waiting[0]!.since + TRANSACTION_WAIT_MS - now] : []),
    ];
    if (waits.length > 0) this.#timer = setTimeout(() => void this.run(), Math.max(1, Math.min(...waits)));
  }
}

function unavailable(id: number, reason: unknown): Answer {
  return { kind: 'unavailable', id, message: reason instanceof Error ? reason.message : String(reason) };
}
