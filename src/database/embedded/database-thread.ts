import { once } from 'node:events';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { StartupError } from '../../domain/startup-error.ts';
import type { Part } from '../../process/keep-running.ts';
import { type DatabasePort, EmbeddedPool } from './embedded-pool.ts';
import type { Answer, Request } from './messages.ts';
import type { ServedThread } from './serve.ts';

/** PostgreSQL's memory is outside of the thread's own heap, which holds few long-lived objects. */
const YOUNG_MB = 8;

export interface DatabaseThread extends Part {
  pool: EmbeddedPool;
  /** Ends it after its pending requests. */
  close(): Promise<void>;
  /** Ends it at once, as a crash does. */
  terminate(): Promise<void>;
}

export interface ThreadOptions {
  /** Receives the outcome of each statement */
  answered: NonNullable<DatabasePort['answered']>;
  /** Receives one sentence when PostgreSQL stops */
  report: (sentence: string) => void;
}

/**
 * Starts a thread that serves the database in `<folder>/database`.
 * @throws StartupError when the folder does not contain a whole database
 * @throws Error when the thread does not start
 */
export async function startThread(folder: string, { answered, report }: ThreadOptions): Promise<DatabaseThread> {
  const { port1: port, port2: far } = new MessageChannel();
  const sent = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const thread = startWorker({ folder, port: far, sent });
  const pool = new EmbeddedPool({
    post: (requests: Request[]) => port.postMessage(requests),
    receiveUntil: (isEnough) => receiveUntil(port, sent, (answers) => pool.receive(answers), isEnough),
    awaiting: (some) => void (some ? thread.ref() : thread.unref()),
    answered,
  });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  await whenReady(thread, port).catch(async (error: unknown) => {
    // A second thread on the same files would destroy them.
    await thread.terminate();
    // An error that comes from another thread has lost its class.
    throw error instanceof Error && error.name === 'StartupError' ? new StartupError(error.message) : error;
  });
  port.on('message', (answers: Answer[]) => pool.receive(answers));
  port.unref();
  thread.on('error', (error: Error) => {
    const sentence = `The embedded database has stopped: ${error.message}.`;
    report(sentence);
    pool.stop(sentence);
  });
  thread.on('exit', () => pool.stop('The embedded database has stopped.'));
  thread.unref();
  return {
    pool,
    ended,
    async close() {
      await pool.drain();
      thread.ref();
      port.postMessage([{ kind: 'close' }] satisfies Request[]);
      await ended;
    },
    async terminate() {
      await thread.terminate();
    },
  };
}

/**
 * Maximum time in milliseconds that the event loop stands still for an answer. Nearly all take less than one. An answer behind a
 * sync to disk comes through the event loop.
 */
const STANDSTILL_MS = 5;

/** Receives answers without the event loop, until there is enough, for at most `STANDSTILL_MS`. */
function receiveUntil(
  port: MessagePort,
  sent: Int32Array,
  receive: (answers: Answer[]) => void,
  isEnough: () => boolean,
): void {
  const end = performance.now() + STANDSTILL_MS;
  for (;;) {
    const before = Atomics.load(sent, 0);
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      receive(next.message);
    const leftMs = end - performance.now();
    if (isEnough() || leftMs <= 0 || Atomics.wait(sent, 0, before, leftMs) === 'timed-out') return;
  }
}

/**
 * Waits for the first message of a thread.
 * @throws Error when the thread fails, or ends without a message
 */
export async function whenReady(thread: Worker, port: MessagePort): Promise<void> {
  const endsEarly = once(thread, 'exit').then(([code]) => {
    throw new Error(`The thread of the embedded database ended with exit code ${String(code)} before it was ready.`);
  });
  await Promise.race([once(port, 'message'), endsEarly]);
}

/** A run from source must load a compiler in the thread first. */
function startWorker(workerData: ServedThread): Worker {
  // The empty environment keeps the process's secrets away from the thread.
  const memory = { maxYoungGenerationSizeMb: YOUNG_MB };
  const options = { workerData, transferList: [workerData.port], env: {}, resourceLimits: memory };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./thread.js', import.meta.url), options);
  const [compiler, thread] = ['../../../scripts/strip-types.mjs', './thread.ts'].map((path) =>
    JSON.stringify(new URL(path, import.meta.url).href),
  );
  // Pending imports alone do not keep a thread alive: the compiler works in another thread.
  const code = `const alive = setInterval(() => undefined, 60_000);
    import(${compiler}).then(() => import(${thread})).finally(() => clearInterval(alive));`;
  return new Worker(code, { ...options, eval: true, execArgv: [] });
}
