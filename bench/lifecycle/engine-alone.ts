import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { resolveImageParameters } from '@burnish/contract';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { engineSizing } from '../../packages/engine/src/sizing.ts';
import { processTree } from '../../test/e2e/processes.ts';
import { largePhotograph, smallPhotograph } from '../photographs.ts';
import { COLOUR_MATRIX } from './colour-matrix.ts';
import { distinct, inParallel } from './jobs.ts';
import { cpuOf } from './processes.ts';

/** CPU milliseconds per file. */
export interface EngineCost {
  engine: number;
  /** sharp with a linear function of all samples */
  linear: number;
  /** sharp with a linear function and a colour matrix */
  recomb: number;
}

export interface EngineAlone {
  small: EngineCost;
  large: EngineCost;
  /** Large files per second with all slots busy, by the engine alone */
  largePerSecond: number;
}

const SMALL_FILES = 60;
const LARGE_FILES = 12;

/** Measures the engine in its sandbox with tone only, compared with plain sharp in this process. Runs in a separate process. */
const folder = await mkdtemp(join(tmpdir(), 'burnish-bench-engine-'));
try {
  const small = await smallPhotograph();
  const large = await largePhotograph();
  const result: EngineAlone = {
    small: await costs(small, 85, SMALL_FILES),
    large: await costs(large, 88, LARGE_FILES),
    largePerSecond: await filesPerSecond(large),
  };
  process.send!(result);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function costs(jpeg: Buffer, quality: number, count: number): Promise<EngineCost> {
  const files = await write(jpeg, count + 3);
  const coded = (change: (image: Sharp) => Sharp) => (file: string) =>
    change(sharp(file)).jpeg({ quality, optimiseCoding: true }).toFile(`${file}.sharp.jpg`);
  return {
    engine: await engineCost(files),
    linear: await sharpCost(
      files,
      coded((image) => image.linear(1.05, -4)),
    ),
    recomb: await sharpCost(
      files,
      coded((image) => image.linear(1.05, -4).recomb(COLOUR_MATRIX)),
    ),
  };
}

/** The first three files warm up. */
async function engineCost(files: readonly string[]): Promise<number> {
  const sandbox = createSandbox({ concurrency: 1 });
  const enhance = enhanceIn(sandbox);
  // All children of this process belong to the engine.
  const cpu = (): number =>
    processTree(process.pid)
      .slice(1)
      .reduce((sum, { pid }) => sum + cpuOf(pid), 0);
  try {
    for (const file of files.slice(0, 3)) await enhance(file);
    const before = cpu();
    for (const file of files.slice(3)) await enhance(file);
    return (cpu() - before) / (files.length - 3);
  } finally {
    await sandbox.close();
  }
}

async function sharpCost(files: readonly string[], work: (file: string) => Promise<unknown>): Promise<number> {
  sharp.concurrency(1);
  for (const file of files.slice(0, 3)) await work(file);
  const before = process.cpuUsage();
  for (const file of files.slice(3)) await work(file);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (files.length - 3);
}

async function filesPerSecond(jpeg: Buffer): Promise<number> {
  const { large: slots } = engineSizing().files;
  const sandbox = createSandbox({ concurrency: slots });
  const files = await write(jpeg, LARGE_FILES + slots);
  const enhance = enhanceIn(sandbox);
  try {
    await Promise.all(files.slice(0, slots).map(enhance));
    const { seconds } = await inParallel(files.slice(slots), slots, enhance);
    return LARGE_FILES / seconds;
  } finally {
    await sandbox.close();
  }
}

function enhanceIn(sandbox: ReturnType<typeof createSandbox>) {
  const parameters = resolveImageParameters({});
  return (inputPath: string): Promise<unknown> =>
    sandbox.run('enhance-image', { inputPath, outputPath: `${inputPath}.out`, parameters }, { account: 'one' });
}

async function write(jpeg: Buffer, count: number): Promise<string[]> {
  const place = await mkdtemp(join(folder, 'files-'));
  return Promise.all(
    distinct(jpeg, count).map(async (bytes, index) => {
      const path = join(place, `${index}.jpg`);
      await writeFile(path, bytes);
      return path;
    }),
  );
}
