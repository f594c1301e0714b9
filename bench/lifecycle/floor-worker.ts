import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import express from 'express';
import { embeddedSettings } from '../../src/temporal/connection-settings.ts';
import { floor } from './floor-workflow.ts';
import { inParallel } from './jobs.ts';

/** Number of workflows, and how many run concurrently. */
export interface FloorOrder {
  count: number;
  width: number;
}

export interface FloorRun {
  seconds: number;
  /** Duration of each workflow, from its start to its result */
  milliseconds: number[];
}

/**
 * Both floors, on the Temporal server of the first argument, with files and a database in the folder of the second. The parent
 * orders bare workflows through the IPC channel. `POST /upload` stores its body and answers after the same workflow, whose two
 * recording steps are then transactions. Another transaction precedes it.
 */
const [, , address = '', folder = ''] = process.argv;
Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect(embeddedSettings({ address, namespace: 'default' }).options);
const database = await PGlite.create(join(folder, 'database'));
await database.exec(`
  create table records (id uuid primary key, revision int not null, updated timestamptz not null default now());
  create table events (id serial primary key, record uuid not null references records, at timestamptz not null default now())`);
const uploads = new Set<string>();

/** One transaction: a revision of the record, and its event. */
async function transaction(id: string): Promise<void> {
  await database.transaction(async (open) => {
    await open.query(
      'insert into records values ($1, 0) on conflict (id) do update set revision = records.revision + 1, updated = now()',
      [id],
    );
    await open.query('insert into events (record) values ($1)', [id]);
  });
}

const taskQueue = `floor-${randomUUID()}`;
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('floor-workflow.ts', import.meta.url)),
  activities: {
    record: async (id: string) => {
      if (uploads.has(id)) await transaction(id);
    },
    work: () => Promise.resolve(),
  },
});
const client = new Client({ connection });

async function runWorkflow(id: string): Promise<void> {
  await client.workflow.execute(floor, { taskQueue, workflowId: id, requestEagerStart: true, args: [id] });
}

const app = express();
app.post('/upload', async (req, res) => {
  const id = randomUUID();
  await pipeline(req, createWriteStream(join(folder, id), { flush: true }));
  uploads.add(id);
  await transaction(id);
  await runWorkflow(id);
  res.json({ id });
});
const server = createServer(app).listen(0, '127.0.0.1');
await once(server, 'listening');

async function timed(): Promise<number> {
  const begun = performance.now();
  await runWorkflow(randomUUID());
  return performance.now() - begun;
}

await worker.runUntil(async () => {
  process.send!((server.address() as AddressInfo).port);
  for (;;) {
    const [order] = (await once(process, 'message')) as [FloorOrder | 'end'];
    if (order === 'end') break;
    const { seconds, results } = await inParallel(Array.from({ length: order.count }), order.width, timed);
    process.send!({ seconds, milliseconds: results } satisfies FloorRun);
  }
});
server.close();
server.closeAllConnections();
await database.close();
await connection.close();
process.disconnect();
