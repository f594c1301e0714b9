import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterAll } from '@jest/globals';
import { resolveImageParameters, type EnhancementParameters } from '@burnish/contract/engine';
import { enhanceImage, type EnhanceImageOutput } from '../../src/image/enhance.ts';
import type { Picture } from '../../src/image/picture.ts';

/** Creates a folder that is removed after the tests of the file. */
export async function scratchFolder(): Promise<(name: string) => string> {
  const folder = await mkdtemp(join(tmpdir(), 'burnish-engine-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}

/** Creates a sharp pipeline from a picture's samples. */
export function asSharp({ data, width, height, channels }: Picture): Sharp {
  return sharp(data, { raw: { width, height, channels: channels as 1 | 2 | 3 | 4 } });
}

/** The samples of one pixel. */
export function pixel({ data, width, channels }: Picture, x: number, y: number): number[] {
  return [...data.subarray((y * width + x) * channels, (y * width + x + 1) * channels)];
}

/** Enhances with defaults, but leaves the colours unchanged unless `mode` is given. */
export async function enhance(
  inputPath: string,
  given: EnhancementParameters = {},
): Promise<EnhanceImageOutput & { path: string }> {
  const outputPath = `${inputPath}.${Object.values(given).join('-')}.out`;
  const parameters = resolveImageParameters({ mode: 'OFF', ...given });
  return { ...(await enhanceImage({ inputPath, outputPath, parameters })), path: outputPath };
}

/** A picture with one value per channel. */
export function flat(width: number, height: number, colour: number[], space: Picture['space'] = 'rgb'): Picture {
  const data = Uint8Array.from({ length: width * height * colour.length }, (_, i) => colour[i % colour.length]!);
  const channels = colour.length;
  return { data, width, height, channels, space, hasAlpha: channels === 2 || (channels === 4 && space === 'rgb') };
}

/** Writes bytes, or the output of sharp, to a named file and returns its path. */
export function fileWriter(scratch: (name: string) => string) {
  return async (name: string, content: Sharp | Buffer): Promise<string> => {
    await writeFile(scratch(name), Buffer.isBuffer(content) ? content : await content.toBuffer());
    return scratch(name);
  };
}

/** By default, sharp writes JPEG data into a TIFF. */
export function lossless(image: Sharp, format: 'png' | 'tiff'): Sharp {
  return format === 'png' ? image.png() : image.tiff({ compression: 'lzw' });
}

/** Parameters that enable every step. */
export const EVERYTHING: EnhancementParameters = {
  mode: 'ENHANCE',
  upscalingFactor: 'X2',
  noiseReductionProfilingMode: 'AUTO',
  artifactsDetectionRemoval: 'AUTO_AI',
  sharpening: 0.6,
};
