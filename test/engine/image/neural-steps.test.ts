import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { resolveImageParameters } from '../../../src/domain/enhancement/parameters.ts';
import type { EnhancementParameters } from '../../../src/domain/enhancement/parameters.ts';
import { enhanceImage } from '../../../src/engine/image/enhance.ts';
import { enhancePixels } from '../../../src/engine/image/enhance-pixels.ts';
import { resample } from '../../../src/engine/image/filters/resample.ts';
import type { ModelSet } from '../../../src/engine/neural/model-set.ts';
import { createSandbox } from '../../../src/engine/sandbox.ts';
import { testModels } from '../../support/models.ts';
import { asSharp, fileWriter, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { copyOf, psnr, sameSamples } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const write = fileWriter(scratch);
const photograph = syntheticPhotograph(160, 108);
const nowhere: ModelSet = {
  fine: '/nowhere',
  fast: { path: '/nowhere', name: 'none', margin: 8, tile: 128, alignment: 1 },
};
let models: ModelSet;
beforeAll(async () => {
  models = await testModels();
});

async function enhance(inputPath: string, given: EnhancementParameters, set = models) {
  const outputPath = `${inputPath}.${Object.values(given).join('-')}.${set === models}`;
  const parameters = resolveImageParameters({ mode: 'OFF', outputFormat: 'PNG', ...given });
  const made = await enhanceImage({ inputPath, outputPath, parameters, models: set });
  return { ...made, picture: await readRgb(outputPath), bytes: await readFile(outputPath) };
}

const jpegOf = (quality: number) => write(`q${quality}.jpg`, asSharp(photograph).jpeg({ quality }));

describe('JPEG artefacts', () => {
  test('are reduced better by a network than by the classical filter, at the same size', async () => {
    const input = await jpegOf(40);
    const before = psnr(await readRgb(input), photograph);
    const plain = await enhance(input, { artifactsDetectionRemoval: 'AUTO_AI', engineTier: 'PLAIN' });
    const fine = await enhance(input, { artifactsDetectionRemoval: 'AUTO_AI' });
    expect([plain.steps, plain.models]).toEqual([['artifacts'], []]);
    expect([fine.steps, fine.models]).toEqual([['artifacts'], ['waifu2x-photo-x1-n3']]);
    expect(psnr(plain.picture, photograph)).toBeGreaterThan(before);
    expect(psnr(fine.picture, photograph)).toBeGreaterThan(psnr(plain.picture, photograph) + 0.2);
  });

  test('are removed by the network that enlarges the image, if one does', async () => {
    const made = await enhance(await jpegOf(75), { artifactsDetectionRemoval: 'AUTO_AI', upscalingFactor: 'X2' });
    expect([made.steps, made.models]).toEqual([['upscale'], ['waifu2x-photo-n3']]);
    expect(made.notes).toEqual(['Compression artefacts are removed while enlarging.', 'Enlarged by waifu2x-photo-n3.']);
    const unasked = await enhance(await jpegOf(75), { upscalingFactor: 'X2' });
    expect(unasked.models).toEqual(['waifu2x-photo-n1']);
  });

  test('of a good JPEG are not treated by a network', async () => {
    const made = await enhance(await jpegOf(90), { artifactsDetectionRemoval: 'AUTO_AI' }, nowhere);
    expect([made.steps, made.models, made.fellBack]).toEqual([['artifacts'], [], false]);
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
  expect(made.notes).toEqual(['Enlarged by interpolation: a network cannot be loaded on this machine.']);
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

test('networks run in the sandbox, report progress for each tile, and can be stopped at any time', async () => {
  const sandbox = createSandbox({ concurrency: 1, models });
  try {
    const inputPath = await write('large.jpg', asSharp(syntheticPhotograph(300, 260)).jpeg());
    const input = { inputPath, outputPath: scratch('large.out') };
    const fractions: number[] = [];
    const onProgress = ({ fraction }: { fraction: number }): void => void fractions.push(fraction);
    const parameters = resolveImageParameters({ upscalingFactor: 'X2', engineTier: 'FINE', mode: 'OFF' });
    const made = await sandbox.run('enhance-image', { ...input, parameters }, { onProgress });
    expect([made.width, made.models]).toEqual([600, ['waifu2x-photo-n1']]);
    expect(fractions.length).toBeGreaterThan(4);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));

    const stop = new AbortController();
    const four = { ...parameters, upscalingFactor: 'X4' as const };
    const stopAtFirstTile = ({ fraction }: { fraction: number }): void => {
      if (fraction > 0.02) stop.abort(new Error('enough'));
    };
    const running = sandbox.run(
      'enhance-image',
      { ...input, parameters: four },
      { onProgress: stopAtFirstTile, signal: stop.signal },
    );
    await expect(running).rejects.toThrow('enough');
    expect((await sandbox.run('inspect-image', { inputPath })).width).toBe(300);
  } finally {
    await sandbox.close();
  }
});
