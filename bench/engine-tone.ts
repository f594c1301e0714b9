import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { resolveImageParameters } from '../src/domain/enhancement/parameters.ts';
import { enhanceImage } from '../src/engine/image/enhance.ts';
import { againstTheLight, largePhotograph, smallPhotograph } from './photographs.ts';

/**
 * CPU time of the tone step alone, from file to file in this process, compared with plain sharp on the same file: `npm run
 * bench:tone`. A picture at half brightness gets exposure, and one with dark areas gets local light.
 */
const [SMALL_RUNS, LARGE_RUNS] = [30, 7];
const QUALITY = 85;
/** Saturation of 1.1, by Rec. 709. */
const SATURATION: [[number, number, number], [number, number, number], [number, number, number]] = [
  [1.0787, -0.0715, -0.0072],
  [-0.0213, 1.0285, -0.0072],
  [-0.0213, -0.0715, 1.0928],
];

const folder = await mkdtemp(join(tmpdir(), 'burnish-tone-'));
try {
  console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}`);
  await compare('small file', await smallPhotograph(), SMALL_RUNS);
  await compare('small file, half the light', await darker(await smallPhotograph()), SMALL_RUNS);
  await compare('small file, against the light', await againstTheLight(await smallPhotograph()), SMALL_RUNS);
  await compare('12 megapixels', await largePhotograph(), LARGE_RUNS);
  await compare('12 megapixels, half the light', await darker(await largePhotograph()), LARGE_RUNS);
  await compare('12 megapixels, against the light', await againstTheLight(await largePhotograph()), LARGE_RUNS);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function compare(name: string, jpeg: Buffer, runs: number): Promise<void> {
  const [inputPath, outputPath] = [join(folder, 'in.jpg'), join(folder, 'out.jpg')];
  await writeFile(inputPath, jpeg);
  const parameters = resolveImageParameters({ mode: 'ENHANCE', outputQuality: QUALITY });
  const plain = (): Sharp => sharp(inputPath, { sequentialRead: true }).jpeg({ quality: QUALITY });
  const steps = new Set<string>();
  const contenders: [string, () => Promise<unknown>][] = [
    ['sharp, nothing', () => plain().toFile(outputPath)],
    ['sharp linear', () => plain().linear(1.1, -4).toFile(outputPath)],
    ['sharp linear, recomb', () => plain().linear(1.1, -4).recomb(SATURATION).toFile(outputPath)],
    [
      'engine',
      async () => (await enhanceImage({ inputPath, outputPath, parameters })).notes.forEach((n) => steps.add(n)),
    ],
  ];
  const times = contenders.map((): number[] => []);
  for (let run = -2; run < runs; run += 1) {
    for (const [i, [, work]] of contenders.entries()) {
      const start = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(start);
      if (run >= 0) times[i]!.push((user + system) / 1000);
    }
  }
  console.log(
    `\n${name} (${(jpeg.length / 1e3).toFixed(0)} kB), CPU milliseconds, median of ${runs}: ${[...steps].join(' ')}`,
  );
  contenders.forEach(([contender], i) =>
    console.log(`${contender.padEnd(24)}${median(times[i]!).toFixed(1).padStart(8)}`),
  );
}

/** Multiplies coded values, like about two stops less light. */
function darker(jpeg: Buffer): Promise<Buffer> {
  return sharp(jpeg).linear(0.5, 0).jpeg({ quality: 88 }).toBuffer();
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}
