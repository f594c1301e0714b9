import fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import type { Picture } from '../../src/image/picture.ts';
import { backProject, measureFidelity } from '../../src/image/steps/back-projection.ts';
import { verifyImage } from '../../src/image/verify.ts';
import { asSharp, enhance, fileWriter, flat, lossless, scratchFolder } from '../support/files.ts';
import { copyOf } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const file = fileWriter(scratch);
const photograph = syntheticPhotograph(120, 90);
const EQUAL = { psnr: null, maxDifference: 0 };

/** A picture of random samples, in which the ends of the range are frequent. */
const noise = (width: number, height: number, channels: number, deep: boolean): fc.Arbitrary<Picture> => {
  const max = deep ? 65_535 : 255;
  const sample = fc.oneof(fc.constantFrom(0, max), fc.integer({ min: 0, max }));
  const length = width * height * channels;
  return fc.array(sample, { minLength: length, maxLength: length }).map((samples) => ({
    data: deep ? Uint16Array.from(samples) : Uint8Array.from(samples),
    width,
    height,
    channels,
    space: channels < 3 ? ('grey' as const) : ('rgb' as const),
    hasAlpha: channels === 2 || channels === 4,
  }));
};

const pairs = fc
  .record({
    width: fc.integer({ min: 1, max: 5 }),
    height: fc.integer({ min: 1, max: 4 }),
    channels: fc.constantFrom(1, 2, 3, 4),
    scale: fc.constantFrom(2, 4),
    deep: fc.boolean(),
  })
  .chain(({ width, height, channels, scale, deep }) =>
    fc.tuple(noise(width, height, channels, deep), noise(width * scale, height * scale, channels, deep)),
  );

describe('back-projection', () => {
  test('makes any enlarged picture equal to its original when it is reduced again', () => {
    fc.assert(
      fc.property(pairs, ([original, enlarged]) => {
        backProject(original, enlarged);
        expect(measureFidelity(original, enlarged)).toEqual(EQUAL);
      }),
    );
  });

  test('spreads a difference over the block, and keeps its structure', () => {
    const original = flat(1, 1, [102], 'grey');
    const enlarged = { ...flat(2, 2, [0], 'grey'), data: Uint8Array.from([80, 120, 90, 110]) };
    backProject(original, enlarged);
    expect([...enlarged.data]).toEqual([82, 122, 92, 112]);
  });

  test('leaves the colours of transparent pixels as they are', () => {
    const original = flat(1, 1, [200, 100, 50, 128]);
    const enlarged = flat(2, 2, [10, 20, 30, 0]);
    backProject(original, enlarged);
    expect([...enlarged.data.subarray(0, 4)]).toEqual([10, 20, 30, 128]);
  });
});

describe('the measured difference', () => {
  test('is that of the mean of each block, in levels of 255', () => {
    const original = flat(2, 1, [100], 'grey');
    const enlarged = { ...flat(4, 2, [100], 'grey') };
    enlarged.data[0] = 102;
    enlarged.data[1] = 104;
    expect(measureFidelity(original, enlarged)).toEqual({ psnr: 47.62, maxDifference: 1.5 });
    const deep = { ...enlarged, data: Uint16Array.from(enlarged.data, (v) => v * 257) };
    expect(measureFidelity(original, deep)).toEqual({ psnr: 47.62, maxDifference: 1.5 });
  });
});

describe('a strictly faithful enlargement', () => {
  const strict = { fidelity: 'STRICT', upscalingFactor: 'X2' } as const;

  test('is the original when it is reduced again, in formats without loss', async () => {
    const grey = asSharp(photograph).toColourspace('b-w');
    const inputs = [
      await file('photograph.png', asSharp(photograph).png()),
      await file('photograph.tif', lossless(asSharp(photograph), 'tiff')),
      await file('grey.png', grey.png()),
      await file('cmyk.tif', lossless(asSharp(photograph).toColourspace('cmyk'), 'tiff')),
      await file('alpha.png', asSharp(photograph).ensureAlpha(0.4).png()),
    ];
    for (const input of inputs) {
      const { fidelity, path, notes } = await enhance(input, strict);
      expect(fidelity).toEqual(EQUAL);
      expect(notes).toContainEqual({ code: 'FIDELITY_MEASURED', psnr: null, maxDifference: 0 });
      expect(await verifyImage({ originalPath: input, resultPath: path })).toEqual(EQUAL);
    }
    expect((await enhance(inputs[0]!, { ...strict, upscalingFactor: 'X4' })).fidelity).toEqual(EQUAL);
  });

  test('stays above 45 dB in a JPEG, and the verification of the files measures the same', async () => {
    const input = await file('given.jpg', asSharp(photograph).jpeg({ quality: 80 }));
    const { fidelity, path } = await enhance(input, strict);
    expect(fidelity!.psnr).toBeGreaterThan(45);
    expect(await verifyImage({ originalPath: input, resultPath: path })).toEqual(fidelity);
    const loose = await enhance(input, { upscalingFactor: 'X2' });
    expect(loose).not.toHaveProperty('fidelity');
    expect((await verifyImage({ originalPath: input, resultPath: loose.path })).psnr).toBeLessThan(fidelity!.psnr!);
  });

  test('is the original in a WebP too, unless the order sets a quality', async () => {
    // Losses in chroma, which a WebP with losses always subsamples, are largest between colours.
    const colours = copyOf(photograph);
    colours.data.forEach((v, i) => (colours.data[i] = i % 3 === Math.floor(i / 9) % 3 ? 255 - v : v));
    const input = await file('colours.png', asSharp(colours).png());
    const webp = { ...strict, outputFormat: 'WEBP' } as const;
    const { path, fidelity } = await enhance(input, webp);
    expect(fidelity).toEqual(EQUAL);
    expect(await verifyImage({ originalPath: input, resultPath: path })).toEqual(EQUAL);
    expect((await enhance(input, { ...webp, outputQuality: 95 })).fidelity!.psnr).toBeLessThan(45);
  });

  test('cannot be verified against a picture of another shape', async () => {
    const input = await file('one.png', asSharp(photograph).png());
    const other = await file('other.png', asSharp(syntheticPhotograph(180, 180)).png());
    await expect(verifyImage({ originalPath: input, resultPath: other })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('120 × 90 and 180 × 180'),
    });
  });
});
