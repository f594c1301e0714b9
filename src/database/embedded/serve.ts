import { existsSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { narrowTree } from '../private-folder.ts';
import { Backend } from './backend.ts';
import { containsDatabase } from './damage.ts';
import { createHousekeeping } from './housekeeping.ts';
import type { Answer, Request } from './messages.ts';
import { startPostgres } from './start-postgres.ts';
import { SessionMultiplexer } from './session-multiplexer.ts';

export interface ServedThread {
  folder: string;
  port: MessagePort;
  /** One number that changes with each message, for a main thread that waits for it without its event loop */
  sent: Int32Array;
}

/**
 * Opens the database in `<folder>/database`, creates it at the first start, and serves it on a port until the port
 * requests a stop. Resolves once the database is closed.
 * @throws StartupError when the folder does not contain a whole database
 * @throws Error with the code of the file system when the disk is full or faulty
 * @throws Error when PostgreSQL has stopped: this thread then holds corrupt memory, and must end
 */
export async function serve({ folder, port, sent }: ServedThread): Promise<void> {
  let stop: (reason: Error) => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => (stop = reject));
  stopped.catch(() => undefined);
  const pglite = await openFolder(folder, stop);
  const backend = new Backend(pglite);
  const sessions = new SessionMultiplexer({
    backend,
    send(answers: Answer[]) {
      port.postMessage(answers, answers.flatMap(listBuffers));
      Atomics.add(sent, 0, 1);
      Atomics.notify(sent, 0);
    },
    poll: () => (receiveMessageOnPort(port) as { message: Request[] } | undefined)?.message,
    tidy: createHousekeeping(backend),
  });
  const closed = new Promise<void>((resolve) => {
    port.on('message', (requests: Request[]) => {
      void sessions.take(requests).then(() => {
        if (sessions.closing) resolve();
      });
    });
  });
  port.postMessage([] satisfies Answer[]);
  await Promise.race([closed, stopped]);
  await pglite.close();
  port.close();
}

/** The memory of an answer, which moves to the other thread without a copy. */
function listBuffers(answer: Answer): ArrayBuffer[] {
  return 'bytes' in answer ? [answer.bytes.buffer as ArrayBuffer] : [];
}

/**
 * Creates a new database under a temporary name and renames it once it is complete and on disk. A kill in the first
 * seconds leaves no broken database.
 */
async function openFolder(folder: string, onStop: (reason: Error) => void): Promise<PGlite> {
  const path = join(folder, 'database');
  // PGlite would create a database over the files of another one whose PG_VERSION is lost.
  if (!(await containsDatabase(path)) && !existsSync(path)) {
    const draft = `${path}.new`;
    await rm(draft, { recursive: true, force: true });
    await (await startPostgres(draft)).close();
    await syncTree(draft);
    await rename(draft, path);
    await syncTree(folder, { deep: false });
  }
  // The umask, or the restore of a copy, may have opened the files to others.
  await narrowTree(path);
  return startPostgres(path, onStop);
}

/** Makes a folder durable: its entries and, when `deep`, every file and folder below it. */
async function syncTree(folder: string, { deep = true } = {}): Promise<void> {
  if (deep) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await syncTree(path);
      else if (entry.isFile()) await syncPath(path);
    }
  }
  await syncPath(folder);
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
