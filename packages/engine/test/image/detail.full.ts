import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { resolveImageParameters } from '@burnish/contract/engine';
import { enhanceImage } from '../../src/image/enhance.ts';
import { resample } from '../../src/image/filters/resample.ts';
import type { Picture } from '../../src/image/picture.ts';
import { NO_DAMAGE } from '../../src/image/steps/damage.ts';
import { enlarge, type EnlargeOptions } from '../../src/image/steps/enlarge.ts';
import { returnTexture } from '../../src/image/steps/return-texture.ts';
import { NO_MODELS, type ModelSet } from '../../src/neural/model-set.ts';
import { testModels } from '../../../../test/support/models.ts';
import { asSharp, fileWriter, flat, scratchFolder } from '../support/files.ts';
import { psnr, sameSamples } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const file = fileWriter(scratch);
const photograph = syntheticPhotograph(240, 180);
const small = resample(photograph, 60, 45);
let models: ModelSet;
beforeAll(async () => {
  models = await testModels();
});

const detailed = (picture: Picture, more: Partial<EnlargeOptions> = {}) =>
  enlarge(picture, { scale: 4, asked: 'DETAIL', models, damage: NO_DAMAGE, ...more });

/** Mean difference of horizontal neighbours in green: the sharpness of edges. */
function sharpness({ data, width }: Picture): number {
  let sum = 0;
  for (let i = 1; i < data.length / 3; i += 1) if (i % width > 0) sum += Math.abs(data[3 * i + 1]! - data[3 * i - 2]!);
  return sum / (data.length / 3);
}

describe('the tier DETAIL', () => {
  test('draws crisper edges than the other networks, and says that it may invent detail', async () => {
    const { picture, models: used, note, fellBack } = await detailed(small);
    expect([picture.width, picture.height, used, fellBack]).toEqual([240, 180, [models.detail!.name], false]);
    expect(note).toEqual({ code: 'ENLARGED_IN_DETAIL', by: [models.detail!.name] });
    for (const asked of ['FAST', 'FINE'] as const)
      expect(sharpness(picture)).toBeGreaterThan(1.03 * sharpness((await detailed(small, { asked })).picture));
  });

  test('at X2 is its picture at X4, reduced, and the same each time', async () => {
    const [double, again, quadruple] = [
      await detailed(small, { scale: 2 }),
      await detailed(small, { scale: 2 }),
      await detailed(small),
    ];
    expect(sameSamples(double.picture, again.picture)).toBe(true);
    expect(psnr(resample(quadruple.picture, 120, 90), double.picture)).toBeGreaterThan(40);
  });

  test('gives a clean picture texture back, but a damaged one no damage', async () => {
    const back = async (damage: EnlargeOptions['damage']): Promise<number> =>
      psnr(resample((await detailed(small, { damage })).picture, 60, 45), small);
    const clean = await back(NO_DAMAGE);
    for (const damage of [
      { ...NO_DAMAGE, quality: 75 },
      { ...NO_DAMAGE, noise: 6 },
    ])
      expect(await back(damage)).toBeLessThan(clean - 2);
  });

  test('leaves pages and drawings to the other tiers, and says so', async () => {
    const damage = { ...NO_DAMAGE, drawing: true };
    const { models: used, note } = await detailed(small, { damage });
    expect(used).toEqual(['waifu2x-photo-n0', 'waifu2x-photo']);
    expect(note).toEqual({ code: 'ENLARGED', by: used, because: 'drawing' });
  });

  test('is replaced by the choice of AUTO where its network is missing or fails to load, and says so', async () => {
    const missing = await detailed(small, { models: { ...models, detail: null } });
    const auto = await detailed(small, { asked: 'AUTO' });
    expect(sameSamples(missing.picture, auto.picture)).toBe(true);
    expect(missing.note).toEqual({ code: 'ENLARGED', by: missing.models, because: 'no-detail' });
    const broken = await detailed(small, { models: { ...models, detail: { ...models.detail!, path: '/nowhere' } } });
    expect([broken.models, broken.fellBack, missing.fellBack]).toEqual([auto.models, true, false]);
    const alone = await detailed(small, { models: { ...NO_MODELS, detail: models.detail } });
    expect(alone.models).toEqual([models.detail!.name]);
  });

  test('is replaced above 6.25 megapixels, and says how many it takes', async () => {
    const large = flat(2501, 2500, [90, 120, 60]);
    const { note } = await detailed(large, { scale: 2, models: { ...NO_MODELS, detail: models.detail } });
    expect(note).toEqual({ code: 'ENLARGED_WITHOUT_DETAIL', by: ['interpolation'], mostPixels: 6_250_000 });
  });

  test('ends within the enlargement after a cancellation, and leaves no file', async () => {
    const inputPath = await file('large.png', asSharp(syntheticPhotograph(240, 200)).png());
    const outputPath = scratch('cancelled');
    const cancel = new AbortController();
    const tiles: number[] = [];
    const running = enhanceImage({
      inputPath,
      outputPath,
      parameters: resolveImageParameters({ upscalingFactor: 'X4', engineTier: 'DETAIL', mode: 'OFF' }),
      models,
      signal: cancel.signal,
      onProgress: ({ step, fraction }) => {
        if (step !== 'upscale') return;
        if (tiles.push(fraction) === 2) cancel.abort(new Error('enough'));
      },
    });
    await expect(running).rejects.toThrow('enough');
    // The start of the step and its first tile of four.
    expect(tiles).toHaveLength(2);
    expect(existsSync(outputPath)).toBe(false);
  });

  test('keeps grey, 16 bits and alpha', async () => {
    const grey: Picture = {
      ...{ width: 24, height: 18, channels: 1, space: 'grey', hasAlpha: false },
      data: Uint16Array.from({ length: 24 * 18 }, (_, i) => 20_000 + 97 * i),
    };
    const { picture } = await detailed(grey);
    expect([picture.channels, picture.data.length, picture.data instanceof Uint16Array]).toEqual([1, 96 * 72, true]);
    const clear = flat(24, 24, [200, 40, 40, 255]);
    for (let i = 0; i < 24 * 24; i += 1) if (i % 24 >= 12) clear.data.set([0, 255, 0, 0], i * 4);
    const result = (await detailed(clear)).picture;
    expect([...result.data.subarray(0, 4)]).toEqual([200, 40, 40, 255]);
    expect([...result.data.subarray(95 * 4, 96 * 4)]).toEqual([0, 0, 0, 0]);
  });
});

test('returned texture halves the difference of each block, within the range of samples', () => {
  const original = flat(9, 7, [100, 100, 100]);
  const enlarged = flat(36, 28, [90, 100, 120]);
  returnTexture(original, enlarged);
  expect(new Set(enlarged.data)).toEqual(new Set([95, 100, 110]));
  const white = flat(36, 28, [255, 250, 0]);
  returnTexture(flat(9, 7, [255, 255, 0]), white);
  expect([...white.data.subarray(0, 3)]).toEqual([255, 253, 0]);
});
