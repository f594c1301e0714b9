import { cpus } from 'node:os';
import { join } from 'node:path';
import { Client as Database } from 'pg';
import { type Cluster, startCluster } from '../../test/cluster/cluster.ts';
import type { Member } from '../../test/cluster/member.ts';
import { commandLine, processTree } from '../../test/e2e/processes.ts';
import { repositoryRoot } from '../../test/support/repository.ts';
import { smallPhotograph } from '../photographs.ts';
import { createFlow } from './flow.ts';
import { type Part, startCounting, type Usage } from './usage.ts';

export interface ScaleOptions {
  /** Whether Temporal is two nodes on the same PostgreSQL, in place of its development server */
  temporalNodes: boolean;
  /** Time that the engine needs for a file, and for its inspection, milliseconds */
  engineMs: number;
  inspectionMs: number;
  /** Length of each measurement */
  seconds: number;
  said: (sentence: string) => void;
}

/** Workers of each measurement. */
const STEPS = [
  { engines: 1, mains: 1 },
  { engines: 2, mains: 1 },
  { engines: 4, mains: 1 },
  { engines: 4, mains: 2 },
] as const;
/** Files before each measurement */
const WARM_UP = 100;
const PROGRAM = [
  process.execPath,
  ...['--import', join(repositoryRoot, 'bench', 'capacity', 'waiting-engine.mjs')],
  join(repositoryRoot, 'scripts', 'burnish.cjs'),
];

/**
 * Prints the rate of two gateways with more and more workers on one PostgreSQL, and what each part uses meanwhile. The engines wait in
 * place of their work, so the cores are those of the other parts.
 */
export async function measureScale(options: ScaleOptions): Promise<void> {
  const { temporalNodes, engineMs, inspectionMs, seconds, said } = options;
  const env = {
    BURNISH_LOG_LEVEL: 'error',
    BURNISH_CREDITS_PER_PERIOD: '1000000',
    BENCH_ENGINE_MS: String(engineMs),
    BENCH_INSPECTION_MS: String(inspectionMs),
  };
  const temporal = temporalNodes ? 'nodes' : 'server';
  await using cluster = await startCluster({ env, durable: true, temporal, report: said });
  const gateways = [await cluster.startGateway(), await cluster.startGateway()];
  const database = new Database({ connectionString: cluster.databaseUrl });
  await database.connect();
  try {
    const flow = createFlow(
      database,
      gateways.map(({ api }) => api),
      await smallPhotograph(),
    );
    const empty = temporalNodes ? await storeBytes(cluster) : 0;
    const [engines, mains]: [Member[], Member[]] = [[], []];
    await database.query('alter system set track_wal_io_timing = on');
    await database.query('select pg_reload_conf()');
    const rates: Measured[] = [];
    for (const step of STEPS) {
      while (mains.length < step.mains) mains.push(await cluster.startMain(PROGRAM));
      while (engines.length < step.engines) engines.push(await cluster.startEngine(undefined, PROGRAM));
      const from = await flow.ended();
      await flow.until((ended) => ended >= from + WARM_UP);
      const parts = partsOf(cluster, { gateways, engines, mains });
      const [first, earlier, idle] = [await flow.ended(), await readSyncs(database), idleMs()];
      const [begun, usage] = [performance.now(), startCounting(parts)];
      await flow.until(() => performance.now() - begun > 1000 * seconds);
      const [measuredMs, syncs] = [performance.now() - begun, await readSyncs(database)];
      const rate = (1000 * ((await flow.ended()) - first)) / measuredMs;
      const [count, ms] = [syncs.count - earlier.count, syncs.ms - earlier.ms];
      const sync = { perSecond: (1000 * count) / measuredMs, share: ms / measuredMs };
      const idleCores = (idleMs() - idle) / measuredMs;
      rates.push({ words: `${step.engines} | ${step.mains}`, rate, usage: usage(), idleCores, sync });
      said(`${step.engines} engine workers, ${step.mains} workflow workers: ${rate.toFixed(1)} files a second.`);
    }
    print(rates, options);
    if (temporalNodes) {
      const files = await flow.ended();
      const each = ((await storeBytes(cluster)) - empty) / files;
      console.log(`\nTemporal's store: ${(each / 1000).toFixed(1)} kB a workflow with its indexes, after VACUUM FULL.`);
    }
  } finally {
    await database.end();
  }
}

interface Measured {
  words: string;
  rate: number;
  usage: readonly Usage[];
  idleCores: number;
  /** Syncs of PostgreSQL's log to disk, and the share of time in which one ran */
  sync: { perSecond: number; share: number };
}

/** Time in which the cores of this machine had nothing to do, milliseconds. */
const idleMs = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

async function readSyncs(database: Database): Promise<{ count: number; ms: number }> {
  const query = 'select wal_sync::integer as count, wal_sync_time as ms from pg_stat_wal';
  return (await database.query<{ count: number; ms: number }>(query)).rows[0]!;
}

function partsOf(
  { temporal, postgres, s3 }: Cluster,
  { gateways, engines, mains }: Record<'gateways' | 'engines' | 'mains', readonly Member[]>,
): Part[] {
  const pids = (members: readonly { pid: number }[]): number[] => members.map(({ pid }) => pid);
  // The development server is a child of this process, below its guard.
  const server = processTree(process.pid).filter((each) => commandLine(each).includes('server start-dev'));
  return [
    { name: 'gateways', pids: pids(gateways) },
    { name: 'workflow workers', pids: pids(mains) },
    { name: 'engine workers', pids: pids(engines) },
    {
      name: 'Temporal',
      pids: temporal.nodes.length > 0 ? temporal.nodes.map((node) => node.pid()) : pids(server.slice(0, 1)),
    },
    { name: 'PostgreSQL', pids: [postgres.pid()] },
    { name: 'S3 server', pids: [s3.pid()] },
  ];
}

function print(rates: readonly Measured[], { engineMs, inspectionMs }: ScaleOptions): void {
  const names = rates[0]!.usage.map(({ name }) => name);
  console.log(`\nAn engine waits ${engineMs} ms for a file, an inspection ${inspectionMs} ms. Cores in use:\n`);
  console.log(
    `| engine workers | workflow workers | files/s | ${names.join(' | ')} | busiest thread | syncs of PostgreSQL |`,
  );
  console.log(`| ${'--- | '.repeat(names.length + 5)}`);
  for (const { words, rate, usage, sync } of rates) {
    const [busiest] = usage.toSorted((a, b) => b.busiest.share - a.busiest.share);
    const thread = `${busiest!.name}, ${busiest!.busiest.name}: ${(100 * busiest!.busiest.share).toFixed(0)} %`;
    const cores = usage.map(({ cores: each }) => each.toFixed(2));
    const syncs = `${sync.perSecond.toFixed(0)} a second, ${(100 * sync.share).toFixed(0)} % of the time`;
    console.log(`| ${[words, rate.toFixed(1), ...cores, thread, syncs].join(' | ')} |`);
  }
  const { usage, rate, idleCores } = rates.at(-1)!;
  const used = usage.reduce((sum, { cores }) => sum + cores, 0);
  const others = cpus().length - used - idleCores;
  console.log(
    `\nIn the last row, these parts use ${used.toFixed(2)} of ${cpus().length} cores: ${((1000 * used) / rate).toFixed(0)} ms of CPU a file. ${idleCores.toFixed(2)} are idle, and other programs use ${others.toFixed(2)}.`,
  );
}

/** Bytes of both databases of Temporal with their indexes, without what PostgreSQL would reuse. */
async function storeBytes({ databaseUrl }: Cluster): Promise<number> {
  let sum = 0;
  for (const name of ['temporal', 'temporal_visibility']) {
    const url = new URL(databaseUrl);
    url.pathname = name;
    const client = new Database({ connectionString: url.href });
    await client.connect();
    try {
      await client.query('vacuum full');
      const size = 'select pg_database_size(current_database())::text as bytes';
      sum += Number((await client.query<{ bytes: string }>(size)).rows[0]!.bytes);
    } finally {
      await client.end();
    }
  }
  return sum;
}
