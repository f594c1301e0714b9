import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startInstance, type BenchInstance } from './lifecycle/instance.ts';
import { distinct, inParallel, quantile, runJob } from './lifecycle/jobs.ts';
import { smallPhotograph } from './photographs.ts';

/**
 * Measures the cost of power-loss safety in the embedded Temporal server: the same small files alternate between two instances,
 * with SQLite's `synchronous` at NORMAL and at FULL. `npm run bench:synchronous`; about two minutes.
 */
const ROUNDS = 6;
const ALONE = 15;
const TOGETHER = 60;
const CLIENTS = 20;

const small = await smallPhotograph();
const folder = await mkdtemp(join(tmpdir(), 'burnish-bench-'));
const start = (synchronous: string): Promise<BenchInstance> =>
  startInstance({ dataDir: join(folder, synchronous), env: { BURNISH_TEMPORAL_SYNCHRONOUS: synchronous } });
const instances = [await start('NORMAL'), await start('FULL')];
try {
  for (const instance of instances) for (const file of distinct(small, 10)) await runJob(instance, file);
  const ratios: { alone: number; together: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [normal, full] = [await measure(instances[0]!), await measure(instances[1]!)];
    ratios.push({ alone: full.alone / normal.alone, together: normal.together / full.together });
    const [a, b] = [normal, full].map((each) => `${each.alone.toFixed(0)} ms, ${each.together.toFixed(1)} a second`);
    console.log(`NORMAL ${a}; FULL ${b}`);
  }
  const median = (values: number[]): string => quantile(values, 0.5).toFixed(2);
  console.log(`One after the other, FULL takes ${median(ratios.map(({ alone }) => alone))} times as long.`);
  console.log(`With ${CLIENTS} clients, NORMAL does ${median(ratios.map(({ together }) => together))} times as many.`);
} finally {
  for (const instance of instances) await instance.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Measures the median milliseconds of a single file, and files per second with many clients. */
async function measure(instance: BenchInstance): Promise<{ alone: number; together: number }> {
  const times: number[] = [];
  for (const file of distinct(small, ALONE)) times.push((await runJob(instance, file)).totalMs);
  const { seconds } = await inParallel(distinct(small, TOGETHER), CLIENTS, (file) => runJob(instance, file));
  return { alone: quantile(times, 0.5), together: TOGETHER / seconds };
}
