import { readdir, stat } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client as Temporal, Connection } from '@temporalio/client';
import { Client as Database } from 'pg';
import { uploadWorkflowId } from '../src/domain/temporal/workflow-interface.ts';
import { pdfWithPhoto } from '../test/e2e/files.ts';
import { type Instance, startInstance } from '../test/support/instance.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { BENCH_SETTINGS, distinct, inParallel, untilFinished } from './lifecycle/jobs.ts';
import { createCpuReader } from './lifecycle/processes.ts';
import { largePhotograph, smallPhotograph } from './photographs.ts';

/**
 * Measures the resources that one upload of each kind needs, for docs/capacity.md: CPU seconds by part, Temporal's state
 * transitions and history, rows and bytes of PostgreSQL, and stored bytes. `npm run bench:capacity -- --jobs 40`.
 */
const { values } = parseArgs({ options: { jobs: { type: 'string', default: '40' } } });
const JOBS = Number(values.jobs);
const WARM_UP = 10;
const CLIENTS = 4;
/** Statistics of PostgreSQL and writes after the last event come late. */
const QUIET_MS = 3_000;

const small = await smallPhotograph();
const KINDS: readonly [name: string, file: Buffer, order: object][] = [
  ['photograph of 0.4 megapixels, tone and colour', small, {}],
  ['the same, enlarged by X2', small, { upscalingFactor: 'X2' }],
  ['photograph of 12 megapixels, tone and colour', await largePhotograph(), {}],
  ['PDF with one photograph, 300 DPI', await pdfWithPhoto(), { targetResolution: 300 }],
];

console.log(
  `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)}\n`,
);
await using folder = await temporaryFolder();
await using postgres = await startPostgres();
const database = new Database({ connectionString: postgres.url });
await database.connect();
const env = { ...BENCH_SETTINGS, DATABASE_URL: postgres.url, BURNISH_ENGINE_TIER: 'fast' };
const instance = await startInstance({ dataDir: folder.path, env });
const readCpu = createCpuReader(instance.pid);
const connection = await Connection.connect({ address: instance.temporalAddress });
try {
  console.log(
    '| upload | CPU of gateway and workers, Temporal, engine, s | transitions | events | history, bytes | rows | database, bytes | stored, bytes |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const [name, file, enhancement] of KINDS) {
    const send = (each: Buffer): Promise<string> => finish(instance, each, enhancement);
    await inParallel(distinct(file, WARM_UP), CLIENTS, send);
    const before = await used();
    const { results: ids } = await inParallel(distinct(file, JOBS), CLIENTS, send);
    const after = await used();
    const each = (read: (from: Used) => number): number => (read(after) - read(before)) / JOBS;
    const seconds = [each((u) => u.burnish), each((u) => u.temporal), each((u) => u.engine)].map((ms) =>
      (ms / 1000).toFixed(3),
    );
    const { transitions, events, bytes } = await describeHistory(ids.at(-1)!);
    const counts = [
      each((u) => u.rows).toFixed(1),
      each((u) => u.databaseBytes).toFixed(0),
      each((u) => u.stored).toFixed(0),
    ];
    console.log(`| ${[name, seconds.join(', '), transitions, events, bytes, ...counts].join(' | ')} |`);
  }
} finally {
  await connection.close();
  await instance.killTree();
  await database.end();
}

async function finish({ api, url, apiKey }: Instance, file: Buffer, enhancement: object): Promise<string> {
  const { status, body } = await api.upload(file, { enhancements: [enhancement] });
  if (status !== 202) throw new Error(`An upload was answered with ${status}: ${JSON.stringify(body)}`);
  await untilFinished({ url, apiKey }, body);
  readCpu();
  return body.id;
}

type Used = Awaited<ReturnType<typeof used>>;

async function used() {
  await delay(QUIET_MS);
  const { burnish, temporal, engine } = readCpu();
  const inserted = 'select sum(n_tup_ins - n_tup_del)::int as rows from pg_stat_user_tables';
  const [{ rows }] = (await database.query<{ rows: number }>(inserted)).rows as [{ rows: number }];
  const size = 'select pg_database_size(current_database())::bigint::text as bytes';
  const [{ bytes }] = (await database.query<{ bytes: string }>(size)).rows as [{ bytes: string }];
  const stored = await bytesIn(join(folder.path, 'files'));
  return { burnish, temporal, engine, rows, databaseBytes: Number(bytes), stored };
}

async function bytesIn(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => await stat(join(path, name))));
  return sizes.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
}

async function describeHistory(uploadId: string): Promise<Record<'transitions' | 'events' | 'bytes', number>> {
  const { raw } = await new Temporal({ connection }).workflow.getHandle(uploadWorkflowId(uploadId)).describe();
  const { stateTransitionCount, historyLength, historySizeBytes } = raw.workflowExecutionInfo!;
  return { transitions: Number(stateTransitionCount), events: Number(historyLength), bytes: Number(historySizeBytes) };
}
