import type { Backend, Reply } from './backend.ts';
import type { Answer, QueryRequest, Request } from './messages.ts';

/** Maximum time in milliseconds that a commit waits for others that can share its sync to disk. */
const HOLD_MS = 4;
/** Maximum time in milliseconds that a statement waits for a transaction of another session. */
const TURN_MS = 5_000;
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

export interface TurnsDeps {
  backend: Pick<Backend, 'execute'>;
  send(answer: Answer): void;
  /** Returns a request that has arrived, without waiting */
  poll(): Request | undefined;
  /** Maintenance of the database, run between two turns without an open transaction */
  tidy(): Promise<void>;
  now?: () => number;
}

/**
 * Multiplexes many sessions on PGlite's single session, and commits in groups. PostgreSQL runs with asynchronous
 * commit, so a commit returns before it is on disk. Its reply, and every reply that may depend on it, waits until one
 * sync covers them all. No reply reveals data that is not durable. A transaction has exclusive use of the session
 * until it ends.
 */
export class Turns {
  readonly #deps: TurnsDeps;
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  #overtaken = 0;
  /** Requests of the session with the open transaction */
  readonly #continued: QueryRequest[] = [];
  #owner: number | undefined;
  #ownerWrote = false;
  #held: Answer[] = [];
  #heldSince = 0;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  /** Queues a request, and executes all that can run. */
  take(request: Request): Promise<void> {
    this.#enqueue(request);
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
        READS.test(request.text) && !this.#waiting.some((each) => each.request.session === request.session);
      this.#waiting.push({ request, since: this.#now(), isRead });
    }
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    for (;;) {
      for (let arrived = this.#deps.poll(); arrived; arrived = this.#deps.poll()) this.#enqueue(arrived);
      this.#refuseLate();
      const next = this.#owner === undefined ? this.#nextWaiting() : this.#continued.shift();
      if (next !== undefined) await this.#carryOut(next);
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

  async #carryOut({ id, session, text, values }: QueryRequest): Promise<void> {
    let reply: Reply;
    try {
      reply = await this.#deps.backend.execute(text, values);
    } catch (error) {
      this.#owner = undefined;
      this.#deps.send(unavailable(id, error));
      return;
    }
    const answer: Answer = { kind: 'reply', id, bytes: reply.bytes };
    const began = this.#owner === undefined;
    if (began) this.#ownerWrote = false;
    this.#ownerWrote ||= !READS.test(text) && !TELLS_NOTHING.test(text) && !(reply.failed && reply.status === 'I');
    if (reply.status !== 'I') {
      if (began) this.#own(session);
      this.#deps.send(answer);
      return;
    }
    this.#disown();
    const wrote = this.#ownerWrote && !/^\s*rollback\s*$/i.test(text);
    if (wrote || this.#held.length > 0) this.#hold(answer);
    else this.#deps.send(answer);
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
    // Further requests of this session have waited longest.
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
      for (const answer of answers) this.#deps.send(answer);
      if (notified) this.#deps.send({ kind: 'notified', bytes });
    } catch (error) {
      for (const answer of answers) this.#deps.send(unavailable('id' in answer ? answer.id : 0, error));
    }
    // Lets timers run.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#owner === undefined) await this.#deps.tidy();
  }

  /** Rejects requests that have waited too long for an open transaction to end, instead of executing them late. */
  #refuseLate(): void {
    const now = this.#now();
    while (this.#waiting.length > 0 && now - this.#waiting[0]!.since >= TURN_MS && this.#owner !== undefined) {
      const { request } = this.#waiting.shift()!;
      this.#deps.send(unavailable(request.id, 'The embedded database is busy with one long transaction.'));
    }
  }

  #setTimer(): void {
    const now = this.#now();
    const waits = [
      ...(this.#held.length > 0 ? [this.#heldSince + HOLD_MS - now] : []),
      ...(this.#waiting.length > 0 ? [this.#waiting[0]!.since + TURN_MS - now] : []),
    ];
    if (waits.length > 0) this.#timer = setTimeout(() => void this.run(), Math.max(1, Math.min(...waits)));
  }
}

function unavailable(id: number, reason: unknown): Answer {
  return { kind: 'unavailable', id, message: reason instanceof Error ? reason.message : String(reason) };
}
