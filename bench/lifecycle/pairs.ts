import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createApi } from '../../test/e2e/api.ts';
import { type Instance, startInstance } from '../../test/support/instance.ts';
import { BENCH_SETTINGS, distinct, inParallel, quantile, runJob } from './jobs.ts';
import { createControlGroup } from './control-group.ts';

/** Two ways to run the same jobs, whose CPU time is compared on one machine. */
export type Pair = 'accounts' | 'sandbox';

const ACCOUNTS = 20;
const ROUNDS = 4;
const JOBS = 40;
const CLIENTS = 2;
const OPERATOR_KEY = 'bench-operator-key-of-this-run';

interface Measured extends Instance {
  cpuMs(): number;
}

interface Side {
  name: string;
  instance: Measured;
  /** Takes turns between its accounts */
  callers: readonly Instance[];
}

/**
 * Prints the CPU milliseconds of a job on both sides, all processes together, as the median of alternating rounds: one account
 * against twenty, or decoders in a plain process against those in the kernel's sandbox.
 */
export async function measurePair(pair: Pair, file: Buffer): Promise<void> {
  const folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'burnish-bench-'))));
  const ends: (() => Promise<void>)[] = [];
  const start = async (env: NodeJS.ProcessEnv): Promise<Measured> => {
    const dataDir = folders[ends.length]!;
    const group = createControlGroup(basename(dataDir));
    const started = await startInstance({
      dataDir,
      via: group.via,
      env: { ...BENCH_SETTINGS, BURNISH_OPERATOR_KEY: OPERATOR_KEY, ...env },
    });
    ends.push(async () => {
      await started.stop();
      group.remove();
    });
    return { ...started, cpuMs: () => group.cpuMs() };
  };
  try {
    const sides = await (pair === 'accounts' ? accountSides(start) : sandboxSides(start));
    // The first jobs start the children of each account.
    for (const side of sides) console.log(`${side.name}, first ${JOBS} jobs: ${format(await measure(side, file))}`);
    const rounds = sides.map(() => [] as number[]);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, side] of sides.entries()) rounds[index]!.push(await measure(side, file));
    }
    for (const [index, { name }] of sides.entries())
      console.log(`${name}: ${format(quantile(rounds[index]!, 0.5))}; rounds ${rounds[index]!.map(format).join(', ')}`);
    const differences = rounds[1]!.map((value, round) => value - rounds[0]![round]!);
    const share = quantile(differences, 0.5) / quantile(rounds[0]!, 0.5);
    console.log(`difference: ${format(quantile(differences, 0.5))} (${(share * 100).toFixed(1)} %)`);
  } finally {
    await Promise.all(ends.map((end) => end()));
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}

const format = (milliseconds: number): string => `${milliseconds.toFixed(1)} ms of CPU a job`;

async function accountSides(start: (env: NodeJS.ProcessEnv) => Promise<Measured>): Promise<Side[]> {
  const instance = await start({});
  const operator = createApi(instance.url, OPERATOR_KEY);
  const callers: Instance[] = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const body = { name: `Account ${index}`, plan: 'BUSINESS' };
    const made = await operator.call<{ apiKey: string }>('POST', '/v1/operator/accounts', { body });
    if (made.status !== 201)
      throw new Error(`An account was answered with ${made.status}: ${JSON.stringify(made.body)}`);
    const { apiKey } = made.body;
    callers.push({ ...instance, apiKey, api: createApi(instance.url, apiKey) });
  }
  return [
    { name: 'one account', instance, callers: callers.slice(0, 1) },
    { name: `${ACCOUNTS} accounts in turn`, instance, callers },
  ];
}

async function sandboxSides(start: (env: NodeJS.ProcessEnv) => Promise<Measured>): Promise<Side[]> {
  const plain = await start({ BURNISH_SANDBOX: 'off' });
  const isolated = await start({ BURNISH_SANDBOX: 'required' });
  return [
    { name: 'process', instance: plain, callers: [plain] },
    { name: 'bubblewrap', instance: isolated, callers: [isolated] },
  ];
}

/** @returns CPU milliseconds of one job */
async function measure({ instance, callers }: Side, file: Buffer): Promise<number> {
  const before = instance.cpuMs();
  const jobs = distinct(file, JOBS).map((each, index) => ({ each, caller: callers[index % callers.length]! }));
  await inParallel(jobs, CLIENTS, ({ each, caller }) => runJob(caller, each));
  return (instance.cpuMs() - before) / JOBS;
}
