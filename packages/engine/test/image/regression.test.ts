import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { EnhancementParameters } from '@burnish/contract/engine';
import type { Picture } from '../../src/image/picture.ts';
import { asSharp, enhance, fileWriter, pixel, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { withNoise } from '../support/measure.ts';
import { hashDistance, perceptualHash } from '../support/perceptual-hash.ts';
import { syntheticPhotograph } from '../support/photograph.ts';
import { expectNamed } from '../../../../test/support/expect-named.ts';

/*
 * What each step makes of a picture, as it was when it was looked at: the picture as a whole by a hash, and a few pixels. A step that
 * is changed on purpose gets new values here, after a look at docs/images.md's pictures and `npm run bench:tone`.
 */
const file = fileWriter(await scratchFolder());
const photograph = syntheticPhotograph(240, 180);
const portrait = await readRgb(fileURLToPath(new URL('../fixtures/portrait.jpg', import.meta.url)));
const darkened = (picture: Picture, by: number): Picture => ({ ...picture, data: picture.data.map((v) => v * by) });

interface Kept {
  input: () => Promise<Buffer>;
  parameters: EnhancementParameters;
  hash: string;
  /** Where, and the samples there */
  pixels: [x: number, y: number, samples: number[]][];
}

const png = (picture: Picture): Promise<Buffer> => asSharp(picture).png().toBuffer();
const STEPS: Record<string, Kept> = {
  artifacts: {
    input: () => asSharp(photograph).jpeg({ quality: 40 }).toBuffer(),
    parameters: { artifactsDetectionRemoval: 'AUTO_AI' },
    hash: '9fc3d3383229e9e0',
    pixels: [
      [40, 30, [145, 170, 207]],
      [120, 90, [99, 100, 94]],
      [70, 140, [40, 42, 31]],
      [200, 120, [66, 82, 62]],
    ],
  },
  noise: {
    input: () => png(withNoise(photograph, 9)),
    parameters: { noiseReductionProfilingMode: 'AUTO' },
    hash: '9fc3d3383229e9e0',
    pixels: [
      [40, 30, [139, 172, 210]],
      [120, 90, [72, 73, 67]],
      [70, 140, [43, 44, 31]],
      [200, 120, [76, 80, 55]],
    ],
  },
  tone: {
    input: () => png(darkened(photograph, 0.45)),
    parameters: { mode: 'ENHANCE' },
    hash: '9fc3d3383229e9e0',
    pixels: [
      [40, 30, [116, 142, 175]],
      [120, 90, [55, 57, 43]],
      [70, 140, [41, 43, 34]],
      [200, 120, [69, 71, 55]],
    ],
  },
  faces: {
    input: () => png(darkened(portrait, 0.5)),
    parameters: { enhanceFaceDetails: 'ENHANCE' },
    hash: '306c4c4d5bc9e9f8',
    pixels: [
      [40, 30, [99, 96, 91]],
      [120, 90, [139, 124, 114]],
      [70, 140, [122, 120, 120]],
      [200, 120, [120, 114, 112]],
    ],
  },
  upscale: {
    input: () => png(photograph),
    parameters: { upscalingFactor: 'X2', engineTier: 'PLAIN' },
    hash: '9fc3d3383229e9e0',
    pixels: [
      [40, 30, [133, 168, 212]],
      [120, 90, [137, 172, 214]],
      [70, 140, [188, 186, 182]],
      [200, 120, [143, 175, 212]],
    ],
  },
  sharpen: {
    input: () => asSharp(photograph).blur(0.9).png().toBuffer(),
    parameters: { sharpening: 0.7 },
    hash: '9fc3d3383229e9e0',
    pixels: [
      [40, 30, [140, 172, 212]],
      [120, 90, [85, 86, 74]],
      [70, 140, [43, 45, 33]],
      [200, 120, [78, 80, 58]],
    ],
  },
};

test.each(Object.entries(STEPS))('%s gives the recorded result', async (name, { input, parameters, hash, pixels }) => {
  const result = await enhance(await file(`${name}.in`, await input()), { ...parameters, outputFormat: 'PNG' });
  expect(result.steps).toEqual([name]);
  const picture = await readRgb(result.path);
  expect(hashDistance(perceptualHash(picture), hash)).toBeLessThanOrEqual(1);
  for (const [x, y, samples] of pixels) {
    pixel(picture, x, y).forEach((value, c) =>
      expectNamed(Math.abs(value - samples[c]!), `${x}, ${y}`).toBeLessThanOrEqual(2),
    );
  }
});

test('the hash distinguishes images and ignores a little noise', () => {
  const hash = perceptualHash(photograph);
  expect(hashDistance(hash, perceptualHash(withNoise(photograph, 4)))).toBeLessThanOrEqual(4);
  expect(hashDistance(hash, perceptualHash(portrait))).toBeGreaterThan(15);
});
