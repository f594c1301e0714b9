import { once } from 'node:events';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { StartupError } from '../../domain/startup-error.ts';
import type { Part } from '../../process/keep-running.ts';
import { type DatabasePort, EmbeddedPool } from './embedded-pool.ts';
import type { Answer, Request } from './messages.ts';

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
  const thread = startWorker({ folder });
  const pool = new EmbeddedPool({
    post: (requests: Request[]) => thread.postMessage(requests),
    awaiting: (some) => void (some ? thread.ref() : thread.unref()),
    answered,
  });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  await whenReady(thread).catch(async (error: unknown) => {
    // A second thread on the same files would destroy them.
    await thread.terminate();
    // An error that comes from another thread has lost its class.
    throw error instanceof Error && error.name === 'StartupError' ? new StartupError(error.message) : error;
  });
  thread.on('message', (answers: Answer[]) => pool.receive(answers));
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
      thread.postMessage([{ kind: 'close' }] satisfies Request[]);
      await ended;
    },
    async terminate() {
      await thread.terminate();
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
