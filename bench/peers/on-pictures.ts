import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EnhancementParameters } from '@burnish/contract';
import type { ModelSet } from '../../packages/engine/src/neural/model-set.ts';
import { findModels } from '../../packages/engine/src/neural/find-models.ts';
import { halved, image, withNoise } from '../quality/cases.ts';
import { byEngine, pixels, type Attempt } from '../quality/contenders.ts';
import { psnrY, ssimY, type Rgb } from '../quality/metrics.ts';
import type { Photograph } from '../quality/photographs.ts';
import type { Peer } from './start-peer.ts';

/** Runs work beside the peers with these names, as far as they are there. */
export type Beside = <Result>(names: readonly string[], work: (peers: Peer[]) => Promise<Result>) => Promise<Result>;

interface Work {
  name: string;
  damage(original: Rgb, index: number): Promise<Rgb>;
  parameters: EnhancementParameters;
  tiers: readonly NonNullable<EnhancementParameters['engineTier']>[];
  peers: readonly string[];
}

const half = async (picture: Rgb): Promise<Rgb> => pixels(await halved(picture).png().toBuffer());

const WORKS: readonly Work[] = [
  {
    name: 'X1, noise of 8 levels',
    damage: async (original, index) => withNoise(original, 8, index),
    parameters: { noiseReductionProfilingMode: 'AUTO' },
    // `FINE` has the network of `FAST` at this size, and `DETAIL` only enlarges.
    tiers: ['PLAIN', 'FAST'],
    peers: ['waifu2x cunet, noise 1', 'waifu2x cunet, noise 3'],
  },
  {
    name: 'X2 of the half',
    damage: half,
    parameters: { upscalingFactor: 'X2' },
    tiers: ['PLAIN', 'FAST', 'FINE', 'DETAIL'],
    peers: ['waifu2x upconv_7_photo', 'realesr-animevideov3 X2'],
  },
  {
    name: 'X4 of the quarter',
    damage: async (original) => half(await half(original)),
    parameters: { upscalingFactor: 'X4' },
    tiers: ['PLAIN', 'FAST', 'FINE', 'DETAIL'],
    peers: ['waifu2x upconv_7_photo twice', 'realesr-animevideov3 X4', 'realesrgan-x4plus'],
  },
];

type Contender = readonly [name: string, run: (input: string, output: string) => Promise<Attempt | null>];
interface Sums {
  count: number;
  cpuSeconds: number;
  psnr: number;
  ssim: number;
}

/** Compares denoising and enlarging. @returns a Markdown table of CPU seconds by megapixel of the input, and of the distance to the original */
export async function compareOnPictures(
  given: readonly Photograph[],
  beside: Beside,
  scratch: string,
): Promise<string> {
  if (given.length === 0) throw new Error('The folder of --images has no photographs.');
  const originals = await Promise.all(given.map(inFours));
  const models = await findModels('fine', console.log);
  const lines = ['| work | by | CPU-s a megapixel | PSNR, dB | SSIM |', '| --- | --- | --- | --- | --- |'];
  for (const work of WORKS) {
    const sums = await beside(work.peers, (peers) =>
      measure(work, originals, [...ofEngine(work, models, scratch), ...peers.map(ofPeer)], scratch),
    );
    for (const [by, { count, cpuSeconds, psnr, ssim }] of sums.totals)
      lines.push(
        `| ${work.name} | ${by} | ${(cpuSeconds / sums.megapixels).toFixed(2)} | ${(psnr / count).toFixed(2)} | ${(ssim / count).toFixed(3)} |`,
      );
  }
  return lines.join('\n');
}

async function measure(work: Work, originals: readonly Rgb[], contenders: readonly Contender[], scratch: string) {
  const [input, output] = [join(scratch, 'input.png'), join(scratch, 'output.png')];
  const totals = new Map<string, Sums>();
  let megapixels = 0;
  for (const [index, original] of originals.entries()) {
    const damaged = await work.damage(original, index);
    megapixels += (damaged.width * damaged.height) / 1e6;
    await writeFile(input, await image(damaged).png({ compressionLevel: 1 }).toBuffer());
    for (const [name, run] of contenders) {
      // The first run loads code and networks.
      if (index === 0) await run(input, output);
      const attempt = await run(input, output);
      if (attempt === null) throw new Error(`${name} failed on picture ${index + 1}.`);
      const sum = totals.get(name) ?? { count: 0, cpuSeconds: 0, psnr: 0, ssim: 0 };
      sum.count += 1;
      sum.cpuSeconds += attempt.cpuSeconds;
      sum.psnr += psnrY(original, attempt);
      sum.ssim += ssimY(original, attempt);
      totals.set(name, sum);
    }
  }
  return { totals, megapixels };
}

const ofEngine = ({ tiers, parameters }: Work, models: ModelSet, scratch: string): Contender[] =>
  tiers.map((engineTier) => [
    `\`${engineTier}\``,
    async (input) =>
      byEngine(await readFile(input), { models, parameters: { mode: 'OFF', engineTier, ...parameters } }, scratch),
  ]);

const ofPeer = ({ name, run }: Peer): Contender => [
  name,
  async (input, output) => {
    const cpuSeconds = await run(input, output);
    return cpuSeconds === null ? null : { ...(await pixels(await readFile(output))), cpuSeconds };
  },
];

/** The part of a photograph with sides that four divides. */
async function inFours(photograph: Photograph): Promise<Rgb> {
  const [width, height] = [photograph.width & ~3, photograph.height & ~3];
  const file = await image(photograph).extract({ left: 0, top: 0, width, height }).png().toBuffer();
  return pixels(file);
}
