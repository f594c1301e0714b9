import { existsSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { narrowTree } from '../private-folder.ts';
import { Backend } from './backend.ts';
import { DurableNodeFs } from './durable-node-fs.ts';
import { createHousekeeping } from './housekeeping.ts';
import type { Answer, Request } from './messages.ts';
import { Turns } from './turns.ts';

const SETTINGS = [
  'fsync=on',
  // The only method that Emscripten passes on; see DurableNodeFs
  'wal_sync_method=fsync',
  // PostgreSQL commits without waiting; Turns holds the reply until the sync
  'synchronous_commit=off',
  // WebAssembly has no demand paging: each of these bytes is resident. The file system's cache is one layer below.
  'shared_buffers=16MB',
  'max_connections=8',
  'max_wal_size=64MB',
  'min_wal_size=32MB',
];

const START_PARAMS = [
  // `-F` turns fsync off
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  ...SETTINGS.flatMap((setting) => ['-c', setting]),
];

/**
 * Opens the database in `<folder>/database`, creates it at the first start, and serves it on a port until the port
 * requests a stop. Resolves once the database is closed.
 */
export async function serve(folder: string, port: MessagePort): Promise<void> {
  const pglite = await openFolder(folder);
  const backend = new Backend(pglite);
  const turns = new Turns({
    backend,
    send: (answers: Answer[]) => port.postMessage(answers, answers.flatMap(listBuffers)),
    poll: () => (receiveMessageOnPort(port) as { message: Request[] } | undefined)?.message,
    tidy: createHousekeeping(backend),
  });
  const closed = new Promise<void>((resolve) => {
    port.on('message', (requests: Request[]) => {
      void turns.take(requests).then(() => {
        if (turns.closing) resolve();
      });
    });
  });
  port.postMessage([] satisfies Answer[]);
  await closed;
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
async function openFolder(folder: string): Promise<PGlite> {
  const path = join(folder, 'database');
  if (!existsSync(path)) {
    const draft = `${path}.new`;
    await rm(draft, { recursive: true, force: true });
    await (await startPglite(draft)).close();
    await syncTree(draft);
    await rename(draft, path);
    await syncTree(folder, { deep: false });
  }
  // Earlier versions created files that every user of the machine could read.
  await narrowTree(path);
  return startPglite(path);
}

/**
 * Starts PostgreSQL in this thread on a folder. When PostgreSQL panics because of a full or broken disk, PGlite would
 * continue with corrupt memory. Here every later query rejects instead, until the process restarts and recovers from
 * the log.
 */
async function startPglite(path: string): Promise<PGlite> {
  let panicked = false;
  const fs = new DurableNodeFs(path, () => {
    panicked = true;
  });
  const pglite = await PGlite.create({ fs, startParams: START_PARAMS });
  const execute = pglite.execProtocolRawSync.bind(pglite);
  // All queries use this function.
  pglite.execProtocolRawSync = (message) => {
    if (panicked) throw new Error('The embedded database has stopped: its disk is full or cannot be written.');
    return execute(message);
  };
  return pglite;
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
