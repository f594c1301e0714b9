import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { smallPhotograph } from '../photographs.ts';
import { type BenchInstance, startInstance } from './instance.ts';
import { distinct, inParallel, quantile, runJob } from './jobs.ts';
import { cpuByPart, residentMegabytes, type CpuByPart } from './processes.ts';

export interface CompareOptions {
  /** Number of sequential files per setting */
  files: number;
  /** Number of files per setting that many clients send */
  burst: number;
}

/** The first variant is the default. Each other one differs in one setting. */
const VARIANTS = [
  { name: 'default', env: {} },
  { name: 'BURNISH_SANDBOX=off', env: { BURNISH_SANDBOX: 'off' } },
  { name: 'BURNISH_PAYLOAD_ENCRYPTION=off', env: { BURNISH_PAYLOAD_ENCRYPTION: 'off' } },
] as const;

/**
 * Two instances per setting, in mirrored order. The first instance costs up to 7 % more than an equal later one, which exceeds
 * the cost of a setting.
 */
const STARTS = [...VARIANTS, ...VARIANTS.toReversed()];
/** Number of files per round. Instances alternate in rounds, so that other load of the machine affects all of them. */
const ROUND = 10;
const WARM_UP = 10;
const CLIENTS = 20;

interface Running {
  name: string;
  sandbox: string;
  instance: BenchInstance;
  /** POST to FINISHED of each file, milliseconds */
  totalMs: number[];
  /** CPU milliseconds while its own files were processed */
  cpu: CpuByPart;
  burstSeconds: number;
}

/** Both instances of a setting together. */
interface Measured {
  name: string;
  sandbox: string;
  totalMs: number[];
  /** CPU milliseconds per file */
  cpu: CpuByPart;
  burstPerSecond: number;
  residentMegabytes: number;
}

/** Prints a Markdown table with the cost of the sandbox and of the encryption of payloads, measured in one run. */
export async function compareSettings({ files, burst }: CompareOptions): Promise<void> {
  const load = loadavg().map((each) => each.toFixed(1));
  console.log(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}; load before: ${load.join(' ')}`,
  );
  const photograph = await smallPhotograph();
  const folder = await mkdtemp(join(tmpdir(), 'burnish-bench-'));
  const running: Running[] = [];
  try {
    for (const { name, env } of STARTS) {
      said(`Starting: ${name} ...`);
      const instance = await startInstance({ dataDir: join(folder, String(running.length)), env });
      const none = { burnish: 0, temporal: 0, engine: 0, other: 0 };
      const started: Running = { name, sandbox: '', instance, totalMs: [], cpu: none, burstSeconds: 0 };
      // Registered before any failure, because the cleanup stops all registered instances.
      running.push(started);
      started.sandbox = await sandboxOf(instance);
      for (const file of distinct(photograph, WARM_UP)) await runJob(instance, file);
    }
    said('One by one ...');
    const filesEach = Math.ceil(files / 2);
    for (let done = 0; done < filesEach; done += ROUND) {
      for (const each of running) await round(each, distinct(photograph, Math.min(ROUND, filesEach - done)));
    }
    const burstEach = Math.ceil(burst / 2);
    if (burst > 0) {
      said(`${CLIENTS} clients ...`);
      for (const each of running) {
        const work = (file: Buffer) => runJob(each.instance, file);
        each.burstSeconds = (await inParallel(distinct(photograph, burstEach), CLIENTS, work)).seconds;
      }
    }
    console.log(
      tableOf(
        VARIANTS.map(({ name }) =>
          together(
            running.filter((each) => each.name === name),
            burstEach,
          ),
        ),
      ),
    );
  } finally {
    for (const { instance } of running) await instance.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function round({ instance, totalMs, cpu }: Running, files: readonly Buffer[]): Promise<void> {
  const before = cpuByPart(instance.pid);
  for (const file of files) totalMs.push((await runJob(instance, file)).totalMs);
  const after = cpuByPart(instance.pid);
  for (const part of Object.keys(cpu) as (keyof CpuByPart)[]) cpu[part] += after[part] - before[part];
}

/** @param burstEach number of files of the burst per instance */
function together(instances: readonly Running[], burstEach: number): Measured {
  const sum = (of: (each: Running) => number): number => instances.reduce((total, each) => total + of(each), 0);
  const totalMs = instances.flatMap((each) => each.totalMs);
  const aFile = (part: keyof CpuByPart): number => sum(({ cpu }) => cpu[part]) / totalMs.length;
  const { name, sandbox } = instances[0]!;
  return {
    name,
    sandbox,
    totalMs,
    cpu: { burnish: aFile('burnish'), temporal: aFile('temporal'), engine: aFile('engine'), other: aFile('other') },
    burstPerSecond: (instances.length * burstEach) / sum(({ burstSeconds }) => burstSeconds),
    residentMegabytes: sum(({ instance }) => residentMegabytes(instance.pid)) / instances.length,
  };
}

/** Reads the isolation of the decoders from `/readyz`. */
async function sandboxOf({ url }: BenchInstance): Promise<string> {
  const { sandbox } = (await (await fetch(`${url}/readyz`)).json()) as { sandbox?: string };
  return sandbox ?? 'unknown';
}

function tableOf(measured: readonly Measured[]): string {
  const figures: [name: string, of: (each: Measured) => number][] = [
    ['POST to FINISHED, median, ms', ({ totalMs }) => quantile(totalMs, 0.5)],
    ['POST to FINISHED, p95, ms', ({ totalMs }) => quantile(totalMs, 0.95)],
    ['CPU of gateway and workers a file, ms', ({ cpu }) => cpu.burnish],
    ['CPU of Temporal a file, ms', ({ cpu }) => cpu.temporal],
    ['CPU of decoders a file, ms', ({ cpu }) => cpu.engine],
    [`files a second, ${CLIENTS} clients`, ({ burstPerSecond }) => burstPerSecond],
    ['memory after it, resident, MB', ({ residentMegabytes: megabytes }) => megabytes],
  ];
  const rows = figures.map(([name, of]) => {
    const values = measured.map(of);
    return [name, ...values.map((value, index) => (index === 0 ? shown(value) : beside(value, values[0]!)))];
  });
  const head = ['figure', ...measured.map(({ name, sandbox }) => `${name} (sandbox: ${sandbox})`)];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A value with its ratio to the default's. */
const beside = (value: number, base: number): string => `${shown(value)} (${(value / base).toFixed(2)})`;
const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
const said = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
