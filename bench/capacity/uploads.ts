import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client as Temporal, Connection } from '@temporalio/client';
import { Client as Database } from 'pg';
import { uploadWorkflowId } from '../../src/domain/temporal/workflow-interface.ts';
import { pdfWithPhoto } from '../../test/e2e/files.ts';
import { type Instance, startInstance } from '../../test/support/instance.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { BENCH_SETTINGS, distinct, inParallel, untilFinished } from '../lifecycle/jobs.ts';
import { createCpuReader } from '../lifecycle/processes.ts';
import { largePhotograph, smallPhotograph } from '../photographs.ts';

const WARM_UP = 10;
const CLIENTS = 4;
/** Statistics of PostgreSQL and writes after the last event come late. */
const QUIET_MS = 3_000;

/**
 * Prints the resources that one upload of each kind needs: CPU seconds by part, Temporal's state transitions, history and store,
 * rows and bytes of PostgreSQL, and stored bytes.
 */
export async function measureUploads(jobs: number): Promise<void> {
  const small = await smallPhotograph();
  const kinds: readonly [name: string, file: Buffer, order: object][] = [
    ['photograph of 0.4 megapixels, tone and colour', small, {}],
    ['the same, enlarged by X2', small, { upscalingFactor: 'X2' }],
    ['photograph of 12 megapixels, tone and colour', await largePhotograph(), {}],
    ['PDF with one photograph, 300 DPI', await pdfWithPhoto(), { targetResolution: 300 }],
  ];
  await using folder = await temporaryFolder();
  await using postgres = await startPostgres();
  const database = new Database({ connectionString: postgres.url });
  await database.connect();
  const env = { ...BENCH_SETTINGS, DATABASE_URL: postgres.url, BURNISH_ENGINE_TIER: 'fast' };
  const instance = await startInstance({ dataDir: folder.path, env });
  const readCpu = createCpuReader(instance.pid);
  const connection = await Connection.connect({ address: instance.temporalAddress });
  const used = () => readUse(readCpu, database, folder.path);
  try {
    console.log(
      '| upload | CPU of gateway and workers, Temporal, engine, s | transitions | events | history, bytes | Temporal, bytes | rows | database, bytes | stored, bytes |',
    );
    console.log(`| ${'--- | '.repeat(9)}`);
    for (const [name, file, enhancement] of kinds) {
      const send = async (each: Buffer): Promise<string> => {
        const id = await finish(instance, each, enhancement);
        readCpu();
        return id;
      };
      await inParallel(distinct(file, WARM_UP), CLIENTS, send);
      const before = await used();
      const { results: ids } = await inParallel(distinct(file, jobs), CLIENTS, send);
      const after = await used();
      const each = (read: (from: Use) => number): number => (read(after) - read(before)) / jobs;
      const seconds = [each((u) => u.burnish), each((u) => u.temporal), each((u) => u.engine)].map((ms) =>
        (ms / 1000).toFixed(3),
      );
      const { transitions, events, bytes } = await describeHistory(connection, ids.at(-1)!);
      const counts = [
        each((u) => u.temporalBytes).toFixed(0),
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
}

async function finish({ api, url, apiKey }: Instance, file: Buffer, enhancement: object): Promise<string> {
  const { status, body } = await api.upload(file, { enhancements: [enhancement] });
  if (status !== 202) throw new Error(`An upload was answered with ${status}: ${JSON.stringify(body)}`);
  await untilFinished({ url, apiKey }, body);
  return body.id;
}

type Use = Awaited<ReturnType<typeof readUse>>;

async function readUse(readCpu: ReturnType<typeof createCpuReader>, database: Database, dataDir: string) {
  await delay(QUIET_MS);
  const { burnish, temporal, engine } = readCpu();
  const inserted = 'select sum(n_tup_ins - n_tup_del)::int as rows from pg_stat_user_tables';
  const [{ rows }] = (await database.query<{ rows: number }>(inserted)).rows as [{ rows: number }];
  const size = 'select pg_database_size(current_database())::bigint::text as bytes';
  const [{ bytes }] = (await database.query<{ bytes: string }>(size)).rows as [{ bytes: string }];
  const [stored, temporalBytes] = [await bytesIn(join(dataDir, 'files')), await bytesIn(join(dataDir, 'temporal'))];
  return { burnish, temporal, engine, rows, databaseBytes: Number(bytes), stored, temporalBytes };
}

async function bytesIn(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => await stat(join(path, name))));
  return sizes.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
}

async function describeHistory(
  connection: Connection,
  uploadId: string,
): Promise<Record<'transitions' | 'events' | 'bytes', number>> {
  const { raw } = await new Temporal({ connection }).workflow.getHandle(uploadWorkflowId(uploadId)).describe();
  const { stateTransitionCount, historyLength, historySizeBytes } = raw.workflowExecutionInfo!;
  return { transitions: Number(stateTransitionCount), events: Number(historyLength), bytes: Number(historySizeBytes) };
}
