import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { narrowTree } from '../private-folder.ts';
import { Backend } from './backend.ts';
import { createHousekeeping } from './housekeeping.ts';
import type { Answer, Request } from './messages.ts';
import { startPglite } from './start-pglite.ts';
import { syncTree } from './sync-tree.ts';
import { Turns } from './turns.ts';

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
