import { randomBytes } from 'node:crypto';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { startCluster, type Cluster, type GatewayMember } from '../test/cluster/cluster.ts';
import type { UploadRecord } from '../test/e2e/api.ts';
import { photo, picture } from '../test/e2e/files.ts';

/**
 * Measures a cluster in one run: repeated bursts of uploads and the gateways' memory, then files per second with one and with
 * two engine workers, each on its own core. `npm run bench:cluster [-- files [uploads]]`, by default 40 and 1,000.
 */
const FILES = Number(process.argv[2] ?? 40);
const UPLOADS = Number(process.argv[3] ?? 1000);
const ROUNDS = 3;
const BURSTS = 3;
interface Load {
  name: string;
  order: object;
  files: number;
}
/** Two megapixels each: about one second of a core per file, and three or four, which reduces the share of all other work. */
const LOADS: readonly Load[] = [
  { name: 'tone and noise', order: { mode: 'ENHANCE', noiseReductionProfilingMode: 'AUTO' }, files: FILES },
  {
    name: 'doubled by FAST',
    order: { mode: 'OFF', upscalingFactor: 'X2', engineTier: 'FAST' },
    files: Math.ceil(FILES / 3),
  },
];

console.log(
  `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}; load before: ${loadavg()
    .map((each) => each.toFixed(1))
    .join(' ')}`,
);
const cluster = await startCluster({ env: { BURNISH_CREDITS_PER_PERIOD: '100000000', BURNISH_LOG_LEVEL: 'warn' } });
// Ctrl-C stops every process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cluster[Symbol.asyncDispose]().then(() => process.exit(130)));
}
try {
  const gateways = [await cluster.startGateway(), await cluster.startGateway()];
  await cluster.startMain();
  for (let burst = 1; burst <= BURSTS; burst += 1) await manyUploads(gateways);
  if (FILES > 0) await engines();
} finally {
  await cluster[Symbol.asyncDispose]();
}

async function engines(): Promise<void> {
  const photograph = await picture(1600, 1200).jpeg({ quality: 88 }).toBuffer();
  await cluster.startEngine(1);
  for (const load of LOADS) {
    const warmUp = (): Promise<number> => work(cluster, load, distinct(photograph, 2));
    const ratios: number[] = [];
    await warmUp();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const alone = await work(cluster, load, distinct(photograph, load.files));
      const second = await cluster.startEngine(0);
      await warmUp();
      const both = await work(cluster, load, distinct(photograph, load.files));
      ratios.push(both / alone);
      console.log(
        `${load.name}, round ${round}: ${alone.toFixed(2)} files/s with one engine worker, ${both.toFixed(2)} with two: ${(both / alone).toFixed(2)} times; load ${loadavg()[0]!.toFixed(1)}`,
      );
      await second.stop();
    }
    console.log(
      `${load.name}: two engine workers against one: ${median(ratios).toFixed(2)} times (median of ${ROUNDS} rounds of ${load.files} files)`,
    );
  }
}

async function manyUploads(gateways: readonly GatewayMember[]): Promise<void> {
  const files = distinct(await photo(), UPLOADS);
  const megabytes = (): string => gateways.map((each) => (each.memory() / 1e6).toFixed(0)).join(' and ');
  const before = megabytes();
  let peak = gateways.map((each) => each.memory());
  const watch = setInterval(() => (peak = gateways.map((each, i) => Math.max(peak[i]!, each.memory()))), 100);
  const begun = performance.now();
  const answers = await Promise.all(files.map((file) => cluster.api.upload(file, {})));
  const seconds = (performance.now() - begun) / 1000;
  const accepted = answers.filter(({ status }) => status === 202);
  const refused = answers.filter(({ status }) => status !== 202);
  if (refused.length > 0) console.log(`${refused.length} refused, such as ${JSON.stringify(refused[0]?.body)}`);
  const said = gateways.flatMap((each) => each.output().split('\n')).find((line) => line.includes('"err"'));
  if (said !== undefined) console.log(`a gateway said: ${said.slice(0, 1500)}`);
  const states = new Map<string, number>();
  for (const { body } of accepted) {
    const { status } = await cluster.api.settled(body.id);
    states.set(status, (states.get(status) ?? 0) + 1);
  }
  clearInterval(watch);
  console.log(
    `${UPLOADS} uploads at once: ${accepted.length} accepted in ${seconds.toFixed(1)} s, then ${[...states].map(([state, count]) => `${count} ${state}`).join(', ')}`,
  );
  const highest = peak.map((each) => (each / 1e6).toFixed(0)).join(' and ');
  console.log(`memory of the gateways, MB: ${before} before, ${highest} at most, ${megabytes()} after`);
}

/** @returns files a second, from the first upload to the last result */
async function work({ api }: Cluster, { order }: Load, files: readonly Buffer[]): Promise<number> {
  const begun = performance.now();
  const uploads: UploadRecord[] = [];
  for (const file of files) uploads.push((await api.upload(file, { enhancements: [order] })).body);
  for (const { id } of uploads) {
    const { enhancements } = await api.settled(id);
    if (enhancements[0]?.status !== 'FINISHED') throw new Error(`An enhancement ended as ${enhancements[0]?.status}.`);
  }
  return files.length / ((performance.now() - begun) / 1000);
}

/** Makes each file unique, so that no result is reused: adds a comment after the marker that begins a JPEG. */
function distinct(jpeg: Buffer, count: number): Buffer[] {
  return Array.from({ length: count }, () => {
    const comment = randomBytes(16);
    const head = Buffer.from([0xff, 0xfe, 0, comment.length + 2]);
    return Buffer.concat([jpeg.subarray(0, 2), head, comment, jpeg.subarray(2)]);
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
