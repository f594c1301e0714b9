import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { type Instance, startInstance } from '../test/support/instance.ts';
import { type Postgres, startPostgres } from '../test/support/postgres.ts';
import { packagedBinaries } from '../test/support/postgres-binaries.ts';
import { BENCH_SETTINGS, distinct, inParallel, quantile, runJob } from './lifecycle/jobs.ts';
import { createTotalCpuReader } from './lifecycle/processes.ts';
import { smallPhotograph } from './photographs.ts';
import { copyUpload } from './records/copy-upload.ts';
import { holdSweep } from './records/hold-sweep.ts';
import { mean } from './mean.ts';

/**
 * Measures what a job costs beside many stored records: CPU of all processes, and the pages that the database touches. Instances
 * with 20,000 and 200,000 finished uploads in PostgreSQL take turns with one that has none. `npm run bench:records` prints a
 * Markdown table; about five minutes.
 */
const STOCKS = [0, 20_000, 200_000];
const WARM_UP = 30;
const ROUNDS = 12;
const JOBS = 2;

interface Side {
  stock: number;
  instance: Instance;
  server: Postgres;
  end(): Promise<void>;
  /** CPU milliseconds a job, for each round: of all processes, and of the database alone */
  cpu: number[];
  databaseCpu: number[];
  /** Pages that the database touches for a job, for each round. The load of the machine does not change them */
  pages: number[];
}

const said = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
const small = await smallPhotograph();
const folder = await mkdtemp(join(tmpdir(), 'burnish-bench-'));
const sides: Side[] = [];
try {
  for (const stock of STOCKS) {
    said(`An instance with ${stock} records ...`);
    sides.push(await startSide(stock));
  }
  for (const { instance } of sides) await inParallel(distinct(small, WARM_UP), 4, (file) => runJob(instance, file));
  for (let round = 0; round < ROUNDS; round += 1) {
    said(`Round ${round + 1} of ${ROUNDS} ...`);
    // The first side of a round is another one each time.
    for (let turn = 0; turn < sides.length; turn += 1) await measure(sides[(round + turn) % sides.length]!);
  }
  print();
} finally {
  for (const side of sides) await side.end();
  await rm(folder, { recursive: true, force: true });
}

/** The records are copies of the upload of a first start. */
async function startSide(stock: number): Promise<Side> {
  const server = await startPostgres(packagedBinaries, undefined, { durable: true });
  try {
    const dataDir = await mkdtemp(join(folder, 'data-'));
    const env = { ...BENCH_SETTINGS, DATABASE_URL: server.url };
    const first = await startInstance({ dataDir, env });
    try {
      await runJob(first, distinct(small, 1)[0]!);
    } finally {
      await first.stop();
    }
    await copyUpload(server.url, stock);
    const endHold = await holdSweep(server.url);
    const instance = await startInstance({ dataDir, env, apiKey: first.apiKey });
    const end = async (): Promise<void> => {
      await instance.stop();
      await endHold();
      await server[Symbol.asyncDispose]();
    };
    return { stock, instance, server, end, cpu: [], databaseCpu: [], pages: [] };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

async function measure({ instance, server, cpu, databaseCpu, pages }: Side): Promise<void> {
  const [readAll, readDatabase] = [[instance.pid, server.pid()], [server.pid()]].map(createTotalCpuReader);
  const before = [readAll!(), readDatabase!(), await readPages(server.url)] as const;
  for (const file of distinct(small, JOBS)) {
    await runJob(instance, file);
    readAll!();
  }
  cpu.push((readAll!() - before[0]) / JOBS);
  databaseCpu.push((readDatabase!() - before[1]) / JOBS);
  pages.push(((await readPages(server.url)) - before[2]) / JOBS);
}

/** Pages that all sessions have touched, in memory or not. */
async function readPages(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // Idle sessions report their counts within a second.
    await delay(1_000);
    const { rows } = await client.query<{ pages: number }>(
      'select (blks_hit + blks_read)::float8 as pages from pg_stat_database where datname = current_database()',
    );
    return rows[0]!.pages;
  } finally {
    await client.end();
  }
}

function print(): void {
  console.log(
    '| stored uploads | CPU of a job, ms | × none | of it the database, ms | pages a job |\n| --- | --- | --- | --- | --- |',
  );
  const [none] = sides;
  for (const { stock, cpu, databaseCpu, pages } of sides) {
    const ratio = (mean(cpu) / mean(none!.cpu)).toFixed(2);
    // Twice the standard error of the paired differences.
    const differences = cpu.map((each, round) => each / mean(none!.cpu) - none!.cpu[round]! / mean(none!.cpu));
    const error = 2 * Math.sqrt(mean(differences.map((each) => (each - mean(differences)) ** 2)) / (ROUNDS - 1));
    const cells = [
      mean(cpu).toFixed(0),
      `${ratio} ± ${error.toFixed(2)}`,
      mean(databaseCpu).toFixed(0),
      quantile(pages, 0.5).toFixed(0),
    ];
    console.log(`| ${stock.toLocaleString('en')} | ${cells.join(' | ')} |`);
  }
}
