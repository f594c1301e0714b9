import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { resolveImageParameters } from '@burnish/contract';
import { enhanceImage } from '../../packages/engine/src/image/enhance.ts';
import type { SharpRemedies } from './cases.ts';
import type { Rgb } from './metrics.ts';
import type { Tier } from './tiers.ts';

export interface Attempt extends Rgb {
  /** CPU seconds of the whole process, from the damaged file to pixels, without encoding */
  cpuSeconds: number;
}

/** The engine, through its public pipeline, in this process. */
export async function byEngine(
  damaged: Buffer,
  { parameters, models }: Pick<Tier, 'parameters' | 'models'>,
  scratch: string,
): Promise<Attempt> {
  const [inputPath, outputPath] = [join(scratch, 'in'), join(scratch, 'out')];
  await writeFile(inputPath, damaged);
  const resolved = resolveImageParameters({ ...parameters, outputFormat: 'PNG' });
  const start = process.cpuUsage();
  let used = 0;
  await enhanceImage({
    inputPath,
    outputPath,
    parameters: resolved,
    models,
    onProgress: ({ step, fraction }) => {
      if (step === 'encode' && fraction < 1) used = seconds(process.cpuUsage(start));
    },
  });
  const picture = await pixels(await readFile(outputPath));
  await Promise.all([inputPath, outputPath].map((path) => rm(path)));
  return { ...picture, cpuSeconds: used };
}

export async function bySharp(
  damaged: Buffer,
  remedy: SharpRemedies[string],
  size: { width: number; height: number },
): Promise<Attempt> {
  const start = process.cpuUsage();
  const { data, info } = await remedy(sharp(damaged), size)
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const cpuSeconds = seconds(process.cpuUsage(start));
  return { data: Uint8Array.from(data), width: info.width, height: info.height, cpuSeconds };
}

/** Reads a file as RGB. */
export async function pixels(file: Buffer): Promise<Rgb> {
  const { data, info } = await sharp(file)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: Uint8Array.from(data), width: info.width, height: info.height };
}

const seconds = ({ user, system }: { user: number; system: number }): number => (user + system) / 1e6;
