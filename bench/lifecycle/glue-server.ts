import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import express from 'express';
import { Pool, type PoolClient } from 'pg';
import PgBoss from 'pg-boss';
import sharp from 'sharp';
import { COLOUR_MATRIX } from './colour-matrix.ts';

/**
 * What a team would build instead: Express, a queue in PostgreSQL, and sharp in one process, with a ledger of two entries a file. The
 * database is the first argument, the folder of files the second. `POST /upload` answers when the result is stored.
 */
const [, , databaseUrl = '', folder = ''] = process.argv;
const QUEUE = 'enhance';
/** Each worker takes a batch, whose jobs run side by side. */
const WORKERS = 2;
const BATCH = 10;

sharp.concurrency(1);
const pool = new Pool({ connectionString: databaseUrl, max: 20 });
await pool.query(`
  create table records (id uuid primary key, state text not null, updated timestamptz not null default now());
  create table ledger (id serial primary key, record uuid not null references records, credits int not null, entry text not null)`);
const boss = new PgBoss({ connectionString: databaseUrl, max: 20 });
await boss.start();
await boss.createQueue(QUEUE);
/** Requests that wait for their file. */
const waiting = new Map<string, () => void>();

async function transaction(work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await work(client);
    await client.query('commit');
  } finally {
    client.release();
  }
}

async function enhance(id: string): Promise<void> {
  const [source, target] = [join(folder, id), join(folder, `${id}.jpg`)];
  await sharp(source)
    .linear(1.05, -4)
    .recomb(COLOUR_MATRIX)
    .jpeg({ quality: 85, optimiseCoding: true })
    .toFile(`${target}.part`);
  const file = await open(`${target}.part`);
  await file.sync();
  await file.close();
  await rename(`${target}.part`, target);
  await transaction(async (client) => {
    await client.query(`update records set state = 'FINISHED', updated = now() where id = $1`, [id]);
    await client.query(`insert into ledger (record, credits, entry) values ($1, -1, 'CAPTURE')`, [id]);
  });
  waiting.get(id)?.();
  waiting.delete(id);
}

const workers: string[] = [];
for (let i = 0; i < WORKERS; i += 1) {
  const options = { batchSize: BATCH, pollingIntervalSeconds: 0.5 };
  workers.push(
    await boss.work<{ id: string }>(QUEUE, options, async (jobs) => {
      await Promise.all(jobs.map(({ data }) => enhance(data.id)));
    }),
  );
}

const app = express();
app.post('/upload', async (req, res) => {
  const id = randomUUID();
  await pipeline(req, createWriteStream(join(folder, id), { flush: true }));
  const finished = new Promise<void>((resolve) => waiting.set(id, resolve));
  await transaction(async (client) => {
    await client.query(`insert into records (id, state) values ($1, 'PENDING')`, [id]);
    await client.query(`insert into ledger (record, credits, entry) values ($1, 1, 'RESERVE')`, [id]);
    await boss.send(QUEUE, { id }, { db: { executeSql: (text, values) => client.query(text, values as unknown[]) } });
  });
  // Without this, a job waits for the next poll.
  for (const worker of workers) boss.notifyWorker(worker);
  await finished;
  res.json({ id });
});
const server = createServer(app).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send!((server.address() as AddressInfo).port);
await once(process, 'message');
server.close();
server.closeAllConnections();
await boss.stop({ graceful: false });
await pool.end();
process.disconnect();
