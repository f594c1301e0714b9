import { join, resolve } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { DatabaseError, Pool } from 'pg';
import { keepRunning } from '../../process/keep-running.ts';
import { makePrivateFolder } from '../private-folder.ts';
import type { Database } from '../database.ts';
import { migrateDatabase } from '../migrate.ts';
import { untilWritable } from './await-disk.ts';
import { type DatabaseThread, startThread } from './database-thread.ts';
import { LastingPool } from './embedded-pool.ts';
import { RepeatedErrors } from './repeated-errors.ts';
import { StartupError } from '../../domain/startup-error.ts';
import { FolderInUse, lockFolder, type LockTiming } from '../../process/folder-lock.ts';

const NAME = 'The embedded database';

/**
 * Opens the database in `<dataDir>/database` in a separate thread, and creates it at the first start. A commit is on
 * disk before it is acknowledged. A thread that ends by itself is started again,
 * once the disk can be written. PostgreSQL ends its thread when it panics, and this module when an error repeats.
 * @param report receives one sentence about each restart
 * @throws StartupError when another process has the data folder open, or the database is damaged or too old
 */
export async function openEmbedded(dataDir: string, report: (sentence: string) => void): Promise<Database> {
  const folder = resolve(dataDir);
  await makePrivateFolder(folder);
  const unlock = await lockDataFolder(folder);
  try {
    const lasting = await startLasting(folder, report);
    const orm = drizzle(lasting.pool as unknown as Pool);
    await migrateDatabase(orm).catch(async (error: unknown) => {
      await lasting.close();
      throw error;
    });
    return {
      kind: 'embedded',
      orm,
      async ping() {
        await lasting.pool.query('select 1');
      },
      listen: (channel, callback) => lasting.pool.listen(channel, callback),
      problem: lasting.problem,
      async close() {
        await lasting.close();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** A database thread that is replaced when it ends by itself. */
async function startLasting(folder: string, report: (sentence: string) => void) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeated = new RepeatedErrors();
  const answered = (error: DatabaseError | undefined): void => {
    if (!repeated.note(error)) return;
    report(`${NAME} repeats an error, and is opened again: ${error?.message}.`);
    void thread.terminate();
  };
  const start = async (): Promise<DatabaseThread> => {
    const started = await startThread(folder, { answered, report });
    isRunning = true;
    void started.ended.then(() => (isRunning = false));
    return started;
  };
  let isRunning = false;
  let thread = await start();
  const pool = new LastingPool(thread.pool);
  const restart = async (): Promise<DatabaseThread> => {
    await untilWritable(join(folder, 'database'), { signal, report });
    thread = await start();
    if (signal.aborted) await thread.close();
    else {
      await pool.continueOn(thread.pool).catch(async (error: unknown) => {
        // The next thread opens the same files.
        await thread.terminate();
        throw error;
      });
    }
    return thread;
  };
  const ended = keepRunning(thread, { name: NAME, restart, report, stopping: signal });
  return {
    pool,
    problem: () => (isRunning ? undefined : `${NAME} does not run.`),
    async close() {
      stopping.abort();
      await thread.close();
      await ended;
    },
  };
}

/**
 * Prevents a second process from opening a data folder.
 * @returns a function that releases the folder
 * @throws StartupError naming the process that has it
 */
export async function lockDataFolder(folder: string, timing?: LockTiming): Promise<() => Promise<void>> {
  try {
    return (await lockFolder(join(folder, 'locks'), timing)).release;
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const holder = `process ${error.pid}${error.isElsewhere ? ' of another machine or container' : ''}`;
    throw new StartupError(
      `The data folder ${folder} is in use by ${holder}. Stop it, or set BURNISH_DATA_DIR to another folder.`,
    );
  }
}
