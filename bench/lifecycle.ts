import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type Client } from '../src/cli/client/client.ts';
import { createSandbox } from '../src/engine/sandbox.ts';
import { findModels } from '../src/engine/neural/prepare-models.ts';
import { engineSizing } from '../src/engine/sizing.ts';
import { resolveImageParameters, type EnhancementParameters } from '../src/domain/parameters.ts';
import { freePort } from '../src/temporal/port.ts';
import { largePhotograph, smallPhotograph } from './photographs.ts';

/**
 * What durability costs, as ratios within one run: files per second through the whole lifecycle against the same engine
 * functions in a bare loop over the same files, and milliseconds from POST to FINISHED less the engine's own.
 * `npm run bench:lifecycle [-- files]`, by default 24 large files a round, three rounds.
 */
const FILES = Number(process.argv[2] ?? 24);
const ROUNDS = 3;
/** FINE takes minutes a round. */
const TIERS = (process.env['BENCH_TIERS'] ?? 'PLAIN,FAST,FINE').split(',') as ('PLAIN' | 'FAST' | 'FINE')[];
const SMALL_FILES = 40;
const API_KEY = `bench-${randomBytes(16).toString('hex')}`;
const root = fileURLToPath(new URL('..', import.meta.url));
/** Kept from run to run, so that what is fetched is fetched once. */
const modelsDir = join(root, '.burnish', 'models');

const folder = await mkdtemp(join(tmpdir(), 'burnish-bench-'));
const { slots } = engineSizing();
console.log(
  `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}`,
);
const instance = await startInstance();
try {
  const client = createClient({ baseUrl: instance.baseUrl, apiKey: API_KEY });
  const large = await largePhotograph();
  await compare(client, large, 'tone and colour', {}, FILES);
  for (const engineTier of TIERS) {
    const parameters = { upscalingFactor: 'X2', engineTier } as const;
    await compare(client, large, `tone, colour and twice the size by ${engineTier}`, parameters, Math.ceil(FILES / 4));
  }

  const small = await smallPhotograph();
  const [warmUp, ...measured] = await writeDistinct(small, SMALL_FILES + 1, 'small');
  await overhead(client, warmUp!);
  const added: number[] = [];
  for (const file of measured) added.push(await overhead(client, file));
  console.log(
    `small file (${(small.length / 1e3).toFixed(0)} kB): median ${median(added).toFixed(0)} ms from POST to FINISHED less the engine's (${SMALL_FILES} files, one after the other; least ${Math.min(...added).toFixed(0)} ms)`,
  );
} finally {
  await instance.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Prints files per second through the whole lifecycle and in the bare loop, round by round, and the median of their ratios. */
async function compare(
  client: Client,
  jpeg: Buffer,
  name: string,
  parameters: EnhancementParameters,
  count: number,
): Promise<void> {
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const files = await writeDistinct(jpeg, count, `${name}-${round}`);
    const bare = await bareLoop(files, parameters);
    const whole = await lifecycles(client, files, parameters);
    ratios.push(whole / bare);
    console.log(
      `12 megapixels, ${name}, round ${round}: lifecycle ${whole.toFixed(2)} files/s, bare loop ${bare.toFixed(2)} files/s, ratio ${(whole / bare).toFixed(2)}`,
    );
  }
  console.log(
    `12 megapixels, ${name}: median ratio ${median(ratios).toFixed(2)} (${count} files of ${(jpeg.length / 1e6).toFixed(1)} MB a round, ${slots} at once)`,
  );
}

/** Copies that differ by bytes behind the picture, so that no result serves twice. */
async function writeDistinct(jpeg: Buffer, count: number, name: string): Promise<string[]> {
  const target = join(folder, name);
  await mkdir(target);
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const path = join(target, `${index}.jpg`);
      await writeFile(path, Buffer.concat([jpeg, randomBytes(16)]));
      return path;
    }),
  );
}

/** The engine in its sandbox, as many at once as an engine worker has slots, and nothing else. Files per second. */
async function bareLoop(files: string[], given: EnhancementParameters): Promise<number> {
  const sandbox = createSandbox({ concurrency: slots, models: await findModels(modelsDir) });
  const parameters = resolveImageParameters(given);
  const enhance = (inputPath: string): Promise<unknown> =>
    sandbox.run('enhance-image', { inputPath, outputPath: `${inputPath}.out`, parameters });
  try {
    await Promise.all(files.slice(0, slots).map(enhance));
    const started = performance.now();
    await inParallel(files, slots, enhance);
    return files.length / ((performance.now() - started) / 1000);
  } finally {
    await sandbox.close();
  }
}

/** The same files through the whole lifecycle, from the first byte sent to the last FINISHED heard. Files per second. */
async function lifecycles(client: Client, files: string[], parameters: EnhancementParameters): Promise<number> {
  const started = performance.now();
  await inParallel(files, slots * 4, (file) => throughLifecycle(client, file, parameters));
  return files.length / ((performance.now() - started) / 1000);
}

/** Milliseconds that the lifecycle adds to the engine's own for one file on an idle instance. */
async function overhead(client: Client, file: string): Promise<number> {
  const started = performance.now();
  const engineMs = await throughLifecycle(client, file, {});
  return performance.now() - started - engineMs;
}

/** @returns milliseconds of the engine */
async function throughLifecycle(client: Client, file: string, parameters: EnhancementParameters): Promise<number> {
  const { id } = await client.upload(file, { enhancements: [parameters], creditWait: 0 });
  for await (const event of client.watch(id)) {
    if (event.kind !== 'enhancement') continue;
    const { status, engineDuration } = event.enhancement;
    if (status === 'FINISHED') return engineDuration ?? 0;
    if (status === 'ERROR' || status === 'CANCELLED') throw new Error(`${file} ended as ${status}.`);
  }
  throw new Error(`${file} never ended.`);
}

async function inParallel(items: string[], width: number, work: (item: string) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

async function startInstance(): Promise<{ baseUrl: string; stop(): Promise<void> }> {
  const [gateway, temporal, ui] = await Promise.all([freePort(), freePort(), freePort()]);
  const child = spawn(process.execPath, [join(root, 'dist', 'cli.js'), 'up'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      BURNISH_DATA_DIR: join(folder, 'data'),
      BURNISH_MODELS_DIR: modelsDir,
      BURNISH_PORT: String(gateway),
      BURNISH_TEMPORAL_PORT: String(temporal),
      BURNISH_TEMPORAL_UI_PORT: String(ui),
      BURNISH_BOOTSTRAP_API_KEY: API_KEY,
      BURNISH_CREDITS_PER_PERIOD: '1000000',
      BURNISH_LOG_LEVEL: 'warn',
    },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const baseUrl = `http://127.0.0.1:${gateway}`;
  for (let attempt = 0; attempt < 240; attempt += 1) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    if (answer?.ok) {
      return {
        baseUrl,
        async stop() {
          child.kill('SIGINT');
          await ended;
        },
      };
    }
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  child.kill('SIGKILL');
  throw new Error('The instance did not come up.');
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
