import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { resolveImageParameters, type EnhancementParameters } from '@burnish/contract/engine';
import { enhanceImage } from '../../src/image/enhance.ts';
import { enhancePixels } from '../../src/image/enhance-pixels.ts';
import { resample } from '../../src/image/filters/resample.ts';
import type { ModelSet } from '../../src/neural/model-set.ts';
import { testModels } from '../../../../test/support/models.ts';
import { asSharp, fileWriter, flat, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { copyOf, meanDifference, psnr, sameSamples, withNoise } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const write = fileWriter(scratch);
const photograph = syntheticPhotograph(160, 108);
const portrait = await readRgb(fileURLToPath(new URL('../fixtures/portrait.jpg', import.meta.url)));
const nowhere: ModelSet = {
  fine: '/nowhere',
  fast: { path: '/nowhere', name: 'none', margin: 8, tile: 128, alignment: 1 },
  restore: { path: '/nowhere', name: 'none', margin: 8, tile: 128, alignment: 1 },
  detail: null,
};
let models: ModelSet;
beforeAll(async () => {
  models = await testModels();
});

async function enhance(inputPath: string, given: EnhancementParameters, set = models) {
  const outputPath = `${inputPath}.${Object.values(given).join('-')}.${set === models}`;
  const parameters = resolveImageParameters({ mode: 'OFF', outputFormat: 'PNG', ...given });
  const made = await enhanceImage({ inputPath, outputPath, parameters, models: set });
  return { ...made, outputPath, picture: await readRgb(outputPath), bytes: await readFile(outputPath) };
}

const jpegOf = (quality: number) => write(`q${quality}.jpg`, asSharp(photograph).jpeg({ quality }));

describe('JPEG artefacts', () => {
  const removed = { artifactsDetectionRemoval: 'AUTO_AI' } as const;

  test('are removed better by a network than by the classical filter, at the same size', async () => {
    const input = await jpegOf(40);
    const before = psnr(await readRgb(input), photograph);
    const plain = await enhance(input, { ...removed, engineTier: 'PLAIN' });
    const made = await enhance(input, removed);
    expect([plain.steps, plain.models]).toEqual([['artifacts'], []]);
    expect([made.steps, made.models]).toEqual([['artifacts'], [models.fast!.name]]);
    expect(psnr(plain.picture, photograph)).toBeGreaterThan(before);
    expect(psnr(made.picture, photograph)).toBeGreaterThan(psnr(plain.picture, photograph) + 0.2);
  });

  test('are removed by the network that enlarges the image, if one does', async () => {
    const doubled = { upscalingFactor: 'X2', engineTier: 'FINE' } as const;
    const made = await enhance(await jpegOf(75), { ...removed, ...doubled });
    expect([made.steps, made.models]).toEqual([['upscale'], ['waifu2x-photo-n3']]);
    expect(made.notes).toEqual([
      { code: 'ARTIFACTS_NOT_REDUCED', because: 'enlarging' },
      { code: 'ENLARGED', by: ['waifu2x-photo-n3'], because: null },
    ]);
    const unasked = await enhance(await jpegOf(75), doubled);
    expect(unasked.models).toEqual(['waifu2x-photo-n1']);
  });

  test('of a good JPEG are removed by the classical filter', async () => {
    const made = await enhance(await jpegOf(88), removed, nowhere);
    expect([made.steps, made.models, made.fellBack]).toEqual([['artifacts'], [], false]);
  });

  test('of a JPEG of high quality are left alone', async () => {
    const input = await jpegOf(96);
    const made = await enhance(input, removed);
    expect([made.steps, made.models]).toEqual([[], []]);
    expect(sameSamples(made.picture, await readRgb(input))).toBe(true);
    expect(made.notes).toEqual([{ code: 'ARTIFACTS_NOT_REDUCED', because: 'quality' }]);
  });

  test('are removed by the classical filter if the network cannot be loaded', async () => {
    const input = await jpegOf(40);
    const plain = await enhance(input, { ...removed, engineTier: 'PLAIN' });
    const missing = await enhance(input, removed, nowhere);
    expect([missing.steps, missing.models, missing.fellBack]).toEqual([['artifacts'], [], true]);
    expect(sameSamples(missing.picture, plain.picture)).toBe(true);
    const none = await enhance(input, removed, { ...models, fast: null });
    expect([none.models, none.fellBack]).toEqual([[], false]);
  });
});

describe('noise', () => {
  const reduced = { noiseReductionProfilingMode: 'AUTO' } as const;
  const noisy = withNoise(portrait, 8);
  const input = write('noisy.png', asSharp(noisy).png());

  test('is removed better by a network than by the classical filter', async () => {
    const plain = await enhance(await input, { ...reduced, engineTier: 'PLAIN' });
    const made = await enhance(await input, reduced);
    expect([plain.models, made.models, made.steps]).toEqual([[], [models.restore!.name], ['noise']]);
    expect(made.notes[0]).toEqual({ code: 'NOISE_REDUCED', levels: expect.closeTo(8, 0) });
    expect(psnr(plain.picture, portrait)).toBeGreaterThan(psnr(noisy, portrait) + 4);
    expect(psnr(made.picture, portrait)).toBeGreaterThan(psnr(plain.picture, portrait));
  });

  test('is removed more at greater strength, and not at all at zero', async () => {
    const change = async (noiseReductionProfilingStrength: number): Promise<number> => {
      const { picture } = await enhance(await input, { ...reduced, noiseReductionProfilingStrength });
      return meanDifference(picture, noisy);
    };
    expect(await change(0)).toBe(0);
    expect(await change(0.2)).toBeLessThan(await change(0.5));
    expect(await change(0.5)).toBeLessThan(await change(1));
  });

  test('is removed after the artefacts of a JPEG, if any remains', async () => {
    const file = await write(
      'noisy.jpg',
      asSharp(withNoise(portrait, 12)).jpeg({ quality: 90, chromaSubsampling: '4:4:4' }),
    );
    const made = await enhance(file, { ...reduced, artifactsDetectionRemoval: 'AUTO_AI' });
    expect([made.steps, made.models]).toEqual([['artifacts', 'noise'], [models.restore!.name]]);
    expect(psnr(made.picture, portrait)).toBeGreaterThan(psnr(await readRgb(file), portrait) + 4);
  });

  test('is removed from 16 bits, and alpha stays', async () => {
    const { width, height } = noisy;
    const data = new Uint16Array(width * height * 4);
    noisy.data.forEach((value, i) => (data[Math.floor(i / 3) * 4 + (i % 3)] = value * 257));
    for (let i = 3; i < data.length; i += 4) data[i] = 20_000 + ((i * 7) % 45_000);
    const raw = { width, height, channels: 4 } as const;
    const file = await write('deep.png', sharp(data, { raw }).toColourspace('rgb16').png());
    const { outputPath, models: used } = await enhance(file, reduced);
    expect(used).toEqual([models.restore!.name]);
    const result = await sharp(outputPath).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
    const samples = new Uint16Array(result.buffer, result.byteOffset, result.length / 2);
    expect(samples.every((value, i) => i % 4 !== 3 || value === data[i])).toBe(true);
    expect(new Set(samples.map((value) => value % 257)).size).toBeGreaterThan(200);
  });

  test('is removed by the classical filter from an image too narrow for a network', async () => {
    const column = withNoise(flat(4, 4000, [120, 90, 60]), 8);
    const made = await enhance(await write('column.png', asSharp(column).png()), reduced);
    expect(made.models).toEqual([]);
  });
});

test('an image without enlargement loads no network', async () => {
  const input = await write('plain.png', asSharp(photograph).png());
  const made = await enhance(input, { upscalingFactor: 'X1', noiseReductionProfilingMode: 'AUTO' }, nowhere);
  expect([made.models, made.fellBack]).toEqual([[], false]);
});

test('a network that cannot be loaded is skipped, and the record reports that', async () => {
  const input = await write('missing.png', asSharp(photograph).png());
  const made = await enhance(input, { upscalingFactor: 'X2' }, nowhere);
  expect([made.steps, made.models, made.fellBack]).toEqual([['upscale'], [], true]);
  expect(made.notes).toEqual([{ code: 'ENLARGED', by: ['interpolation'], because: 'network-failed' }]);
});

test.each(['FINE', 'FAST'] as const)('the same file gives the same bytes with %s every time', async (engineTier) => {
  const input = await jpegOf(80);
  const [one, other] = [
    await enhance(input, { upscalingFactor: 'X2', engineTier }),
    await enhance(input, { upscalingFactor: 'X2', engineTier }),
  ];
  expect(one.bytes.equals(other.bytes)).toBe(true);
});

test('an image of a PDF is enlarged by the fast network, to its exact size', async () => {
  const small = resample(photograph, 60, 40);
  for (const [width, height] of [
    [96, 65],
    [160, 108],
  ] as const) {
    const options = { width, height, mode: 'OFF' } as const;
    const plain = await enhancePixels(copyOf(small), options);
    const fast = await enhancePixels(copyOf(small), { ...options, models: { ...models, fine: '/nowhere' } });
    expect([fast.picture.width, fast.picture.height, fast.steps]).toEqual([width, height, ['upscale']]);
    const original = resample(photograph, width, height);
    expect(psnr(fast.picture, original)).toBeGreaterThan(psnr(plain.picture, original) + 0.3);
  }
  const smaller = { width: 40, height: 27, mode: 'OFF' } as const;
  const reduced = await enhancePixels(copyOf(small), { ...smaller, models: nowhere });
  expect(sameSamples(reduced.picture, resample(small, 40, 27))).toBe(true);
});
