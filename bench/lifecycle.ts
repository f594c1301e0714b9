import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { engineSizing } from '../packages/engine/src/sizing.ts';
import { listenHttp } from '../test/support/local-server.ts';
import { type Instance, startInstance } from '../test/support/instance.ts';
import { countOneJob } from './lifecycle/counts.ts';
import type { EngineAlone } from './lifecycle/engine-alone.ts';
import { type FloorCost, startFloor } from './lifecycle/floor.ts';
import { startGlue } from './lifecycle/glue.ts';
import { BENCH_SETTINGS, distinct, inParallel, quantile, runJob } from './lifecycle/jobs.ts';
import { createCpuReader, residentMegabytes, sumByPart } from './lifecycle/processes.ts';
import { measureReads } from './lifecycle/reads.ts';
import { findWorse, readReleaseRatios, saveReleaseRatios } from './lifecycle/release-ratios.ts';
import { type Figure, markdownTable } from './lifecycle/table.ts';
import { largePhotograph, smallPhotograph } from './photographs.ts';

/**
 * Measures the cost of durability: a Markdown table with each figure of a lifecycle and its floor, from one run on one machine.
 * `npm run bench:lifecycle`; about five minutes. It tells each ratio that is worse than that of the last release by more than a tenth,
 * and fails with `--check`. `-- --save` makes the ratios of this run those of the release.
 */
const WARM_UP = 200;
const WARM_UP_CLIENTS = 5;
const ONE_BY_ONE = 60;
const TOGETHER = 200;
const CLIENTS = 20;
const LARGE_FILES = 12;
const IDLE_MS = 10_000;
const FLOORS = ['a bare workflow', 'an Express upload, three transactions'];
const WORKFLOW_AND_SHARP = 'a bare workflow and bare sharp with a matrix';
const GLUE = 'Express, pg-boss, PostgreSQL and sharp';

const load = loadavg()
  .map((each) => each.toFixed(1))
  .join(' ');
console.log(
  `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}; load before: ${load}\n`,
);
const said = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
const small = await smallPhotograph();
const large = await largePhotograph();
const figures: Figure[] = [];
const dataDir = await mkdtemp(join(tmpdir(), 'burnish-bench-'));
await using receiver = await listenHttp((req, res) => {
  req.resume().once('end', () => res.writeHead(204).end());
});
try {
  said('The engine alone ...');
  const engine = await engineAlone();
  const env = { ...BENCH_SETTINGS, BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}` };
  const instance = await startInstance({ dataDir, env });
  try {
    await measureLifecycle(instance, engine);
    await measureTogether(instance, engine);
    said('Reads ...');
    await measureAllReads(instance);
  } finally {
    await instance.stop();
  }
  addEngine(engine);
  said('Counts ...');
  await measureCounts();
  said('A second start ...');
  await measureStart();
} finally {
  await rm(dataDir, { recursive: true, force: true });
  // Prints the measurements even after a failure.
  console.log(markdownTable(figures));
}
const worse = findWorse(figures, await readReleaseRatios());
for (const sentence of worse) console.log(`WORSE: ${sentence}`);
if (process.argv.includes('--save')) await saveReleaseRatios(figures);
else if (process.argv.includes('--check') && worse.length > 0) process.exitCode = 1;

/** Measures files one by one, then of many clients, beside both floors. Everything warms up with the same number of jobs. */
async function measureLifecycle(instance: Instance, engine: EngineAlone): Promise<void> {
  said(`${WARM_UP} files to warm up ...`);
  await inParallel(distinct(small, WARM_UP), WARM_UP_CLIENTS, (file) => runJob(instance, file));
  said('One by one ...');
  const plain = await oneByOne(instance, {});
  const told = await oneByOne(instance, { webhookUrl: `${receiver.url}/hook` });
  said('The floors ...');
  const folder = join(dataDir, 'floor');
  await mkdir(folder);
  const floor = await startFloor(instance, folder);
  await floor.workflows({ count: WARM_UP, width: WARM_UP_CLIENTS });
  await floor.uploads(distinct(small, WARM_UP), WARM_UP_CLIENTS);
  const alone = [
    await floor.workflows({ count: ONE_BY_ONE, width: 1 }),
    await floor.uploads(distinct(small, ONE_BY_ONE), 1),
  ];
  const crowd = [
    await floor.workflows({ count: TOGETHER, width: CLIENTS }),
    await floor.uploads(distinct(small, TOGETHER), CLIENTS),
  ];
  await floor.stop();
  const glue = await measureGlue();
  const beside = (costs: readonly FloorCost[], of: (cost: FloorCost) => number) =>
    costs.map((cost, index) => [of(cost), FLOORS[index]!] as const);
  const bothCpu = beside(alone, ({ workerCpu, temporalCpu }) => workerCpu + temporalCpu);
  const time = (share: number) => beside(alone, ({ milliseconds }) => quantile(milliseconds, share));
  figures.push(
    figure('POST to FINISHED beyond the engine, median', quantile(plain.added, 0.5), ' ms', ...time(0.5)),
    figure('POST to FINISHED beyond the engine, p95', quantile(plain.added, 0.95), ' ms', ...time(0.95)),
    figure('CPU of a lifecycle without the engine', plain.burnish + plain.temporal, ' ms', ...bothCpu),
    figure('of it gateway and workers', plain.burnish, ' ms', ...beside(alone, ({ workerCpu }) => workerCpu)),
    figure('of it Temporal', plain.temporal, ' ms', ...beside(alone, ({ temporalCpu }) => temporalCpu)),
    figure('CPU of the engine for a small file in a lifecycle', plain.engine, ' ms', [
      engine.small.recomb,
      'bare sharp with a matrix',
    ]),
    figure('CPU of a lifecycle with two webhook deliveries', told.burnish + told.temporal, ' ms', ...bothCpu),
    figure(
      'CPU of a small file, all processes',
      plain.burnish + plain.temporal + plain.engine,
      ' ms',
      [bothCpu[0]![0] + engine.small.recomb, WORKFLOW_AND_SHARP],
      [glue.alone.cpu, GLUE],
    ),
    figure('POST to FINISHED with the engine, median', quantile(plain.totals, 0.5), ' ms', time(0.5)[0]!, [
      quantile(glue.alone.milliseconds, 0.5),
      GLUE,
    ]),
  );
  said(`${CLIENTS} clients ...`);
  const { seconds, results } = await inParallel(distinct(small, TOGETHER), CLIENTS, (file) => runJob(instance, file));
  const totals = results.map(({ totalMs }) => totalMs);
  const median = quantile(totals, 0.5);
  const rates = beside(crowd, (cost) => TOGETHER / cost.seconds);
  const glueRate = TOGETHER / glue.crowd.seconds;
  const times = beside(crowd, ({ milliseconds }) => quantile(milliseconds, 0.5));
  figures.push(
    rate(`small files a second, ${CLIENTS} clients`, TOGETHER / seconds, ...rates, [glueRate, GLUE]),
    figure(`POST to FINISHED, ${CLIENTS} clients, median`, median, ' ms', ...times),
    figure(`POST to FINISHED, ${CLIENTS} clients, p95`, quantile(totals, 0.95), ' ms', [median, 'the median']),
  );
}

/** Measures what a team would build instead, with the same files, warmed up by as many. */
async function measureGlue() {
  const folder = join(dataDir, 'glue');
  await mkdir(folder);
  const glue = await startGlue(folder);
  await glue.uploads(distinct(small, WARM_UP), WARM_UP_CLIENTS);
  const alone = await glue.uploads(distinct(small, ONE_BY_ONE), 1);
  const crowd = await glue.uploads(distinct(small, TOGETHER), CLIENTS);
  await glue.stop();
  return { alone, crowd };
}

async function oneByOne(instance: Instance, order: Record<string, unknown>) {
  const readCpu = createCpuReader(instance.pid);
  const before = readCpu();
  const added: number[] = [];
  const totals: number[] = [];
  for (const file of distinct(small, ONE_BY_ONE)) {
    const { totalMs, engineMs } = await runJob(instance, file, order);
    added.push(totalMs - engineMs);
    totals.push(totalMs);
    readCpu();
  }
  const after = readCpu();
  const each = (part: keyof typeof after): number => (after[part] - before[part]) / ONE_BY_ONE;
  return { added, totals, burnish: each('burnish'), temporal: each('temporal'), engine: each('engine') };
}

async function measureTogether(instance: Instance, { largePerSecond }: EngineAlone): Promise<void> {
  said('12 megapixels ...');
  const { large: slots } = engineSizing().files;
  const work = (file: Buffer) => runJob(instance, file);
  await inParallel(distinct(large, slots), slots, work);
  const { seconds } = await inParallel(distinct(large, LARGE_FILES), slots * 4, work);
  figures.push(
    rate('12 megapixels, files a second', LARGE_FILES / seconds, [largePerSecond, 'the engine in a bare loop']),
  );
}

async function measureAllReads(instance: Instance): Promise<void> {
  const { body } = await instance.api.upload(distinct(small, 1)[0]!, { enhancements: [{}] });
  await instance.api.settled(body.id);
  const { read, list, bare } = await measureReads(instance, body.id);
  const of = 'bare Express, the same JSON';
  figures.push(
    rate('reads of an upload a second', read.perSecond, [bare.perSecond, of]),
    figure('CPU of a read', read.cpu, ' ms', [bare.cpu, of]),
    figure('CPU of a list of 20', list.cpu, ' ms', [bare.cpu, of]),
  );
}

async function engineAlone(): Promise<EngineAlone> {
  const child = fork(fileURLToPath(new URL('lifecycle/engine-alone.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  const [result] = (await once(child, 'message')) as [EngineAlone];
  return result;
}

function addEngine({ small: a, large: b }: EngineAlone): void {
  figures.push(
    figure('CPU of the engine alone, small file, tone', a.engine, ' ms', [a.linear, 'bare sharp, linear']),
    figure('the same against a matrix too', a.engine, ' ms', [a.recomb, 'bare sharp, linear and recomb']),
    figure('CPU of the engine alone, 12 megapixels, tone', b.engine, ' ms', [b.linear, 'bare sharp, linear']),
    figure('the same against a matrix too', b.engine, ' ms', [b.recomb, 'bare sharp, linear and recomb']),
  );
}

async function measureCounts(): Promise<void> {
  const counts = await countOneJob(distinct(small, 4));
  figures.push(
    figure('histories of a job', counts.histories, ''),
    figure('events', counts.events, ''),
    figure('workflow tasks', counts.workflowTasks, ''),
    figure('local activities', counts.localActivities.length, ''),
    figure('activities', counts.activities.length, ''),
    figure('upserts of search attributes', counts.searchAttributeUpserts, ''),
    figure('SQL statements', counts.statements.length, ''),
    figure('transactions of several statements', counts.transactions, ''),
  );
}

async function measureStart(): Promise<void> {
  const instance = await startInstance({
    dataDir,
    program: ['npm', 'start', '--silent'],
    args: [],
    env: BENCH_SETTINGS,
  });
  try {
    await delay(IDLE_MS);
    const { burnish, temporal, engine } = sumByPart(instance.pid, residentMegabytes);
    figures.push(
      figure('second `npm start` to `/readyz`', instance.readyAfterMs / 1000, ' s'),
      figure('memory of the idle tree, resident', burnish + temporal + engine, ' MB'),
    );
  } finally {
    // npm does not forward a signal.
    await instance.killTree();
  }
}

function figure(name: string, value: number, unit: string, ...floors: Figure['floors']): Figure {
  return { name, value, unit, floors };
}

function rate(name: string, value: number, ...floors: Figure['floors']): Figure {
  return { name, value, unit: '', floors, isRate: true };
}
