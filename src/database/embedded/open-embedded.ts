import { once } from 'node:events';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type { Pool } from 'pg';
import { makePrivateFolder } from '../private-folder.ts';
import { MIGRATIONS, type Database } from '../database.ts';
import { lockDataFolder } from './data-folder-lock.ts';
import { EmbeddedPool } from './embedded-pool.ts';
import type { Answer, Request } from './messages.ts';

/** PostgreSQL's memory lies outside of the thread's own heap, which holds little for long. */
const YOUNG_MB = 8;

/**
 * Opens the database in `<dataDir>/database`, made at the first start, in a thread of its own. A commit is on disk before it is
 * acknowledged.
 * @throws Error when another process has the data folder open
 */
export async function openEmbedded(dataDir: string): Promise<Database> {
  const folder = resolve(dataDir);
  await makePrivateFolder(folder);
  const unlock = await lockDataFolder(folder);
  try {
    const { pool, close } = await startThread(folder);
    const orm = drizzle(pool as unknown as Pool);
    await migrate(orm, MIGRATIONS);
    return {
      kind: 'embedded',
      orm,
      async ping() {
        await pool.query('select 1');
      },
      listen: (channel, callback) => pool.listen(channel, callback),
      async close() {
        await close();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function startThread(folder: string): Promise<{ pool: EmbeddedPool; close(): Promise<void> }> {
  const thread = startWorker({ folder });
  const pool = new EmbeddedPool({
    post: (request: Request) => thread.postMessage(request),
    awaiting: (some) => void (some ? thread.ref() : thread.unref()),
  });
  const ended = once(thread, 'exit');
  ended.catch(() => undefined);
  await once(thread, 'message');
  thread.on('message', (answer: Answer) => pool.receive(answer));
  thread.on('error', (error: Error) => pool.stop(`The embedded database has stopped: ${error.message}`));
  thread.on('exit', () => pool.stop('The embedded database has stopped.'));
  thread.unref();
  return {
    pool,
    async close() {
      await pool.drain();
      thread.ref();
      thread.postMessage({ kind: 'close' } satisfies Request);
      await ended.catch(() => undefined);
    },
  };
}

/** From source, the thread has to load what reads TypeScript before anything else. */
function startWorker(workerData: { folder: string }): Worker {
  // No secret of the process is in reach of what runs there.
  const options = { workerData, env: {}, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./thread.js', import.meta.url), options);
  const loader = new URL('esm/api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx'))).href;
  const url = new URL('./thread.ts', import.meta.url).href;
  const [tsx, thread] = [loader, url].map((address) => JSON.stringify(address));
  const code = `import(${tsx}).then(({ register }) => (register(), import(${thread})))`;
  return new Worker(code, { ...options, eval: true, execArgv: [] });
}
