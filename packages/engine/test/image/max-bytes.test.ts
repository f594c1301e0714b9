import { existsSync, statSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { fitQuality, LEAST_QUALITY } from '../../src/image/codecs/fit-quality.ts';
import { asSharp, enhance, fileWriter, lossless, scratchFolder } from '../support/files.ts';
import { withNoise } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const file = fileWriter(scratch);
const photograph = withNoise(syntheticPhotograph(240, 180), 6);
const jpeg = (): Promise<string> => file('photograph.jpg', asSharp(photograph).jpeg({ quality: 92 }));

describe('The parameter maxBytes of an image', () => {
  test.each(['JPEG', 'WEBP', 'AVIF'] as const)('gives %s the largest quality that fits', async (outputFormat) => {
    const input = await jpeg();
    const usual = await enhance(input, { outputFormat, sharpening: 0.2 });
    const maxBytes = Math.floor(0.6 * statSync(usual.path).size);
    const result = await enhance(input, { outputFormat, sharpening: 0.2, maxBytes });
    expect(statSync(result.path).size).toBeLessThanOrEqual(maxBytes);
    const note = result.notes.find(({ code }) => code === 'QUALITY_FITTED') as { quality: number } | undefined;
    expect(note).toEqual({ code: 'QUALITY_FITTED', quality: expect.any(Number), mostBytes: maxBytes });
    const next = await enhance(input, { outputFormat, sharpening: 0.2, outputQuality: note!.quality + 1 });
    expect(statSync(next.path).size).toBeGreaterThan(maxBytes);
    expect(await sharp(result.path).metadata()).toMatchObject({ width: 240, height: 180 });
  });

  test('changes nothing in a result that fits', async () => {
    const input = await jpeg();
    const [usual, fitted] = [await enhance(input), await enhance(input, { maxBytes: 1_000_000 })];
    expect(fitted.notes).toEqual(usual.notes);
    expect(statSync(fitted.path).size).toBe(statSync(usual.path).size);
  });

  test.each([
    ['JPEG', /at quality 10, and maxBytes is 1,000\. Set a greater maxBytes/u],
    ['PNG', /The result in PNG has .* bytes, and maxBytes is 1,000\. Set outputFormat to JPEG/u],
  ] as const)('refuses %s that cannot fit, and leaves no file', async (outputFormat, message) => {
    const input = await file('large.png', lossless(asSharp(photograph), 'png'));
    const given = { outputFormat, maxBytes: 1000 };
    await expect(enhance(input, given)).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
      field: 'maxBytes',
      message: expect.stringMatching(message),
    });
    expect(existsSync(`${input}.${outputFormat}-1000.out`)).toBe(false);
  });
});

test.each([
  [100, 37],
  [100, LEAST_QUALITY],
  [100, 99],
])('finds the largest quality below %i that fits: %i', async (below, largest) => {
  const tried: number[] = [];
  const fitted = await fitQuality(
    below,
    (quality) => Promise.resolve(tried.push(quality) && quality),
    (quality) => quality <= largest,
  );
  expect(fitted).toEqual({ quality: largest, result: largest });
  expect(tried.length).toBeLessThanOrEqual(7);
});

test('finds none where the lowest quality does not fit', async () => {
  expect(
    await fitQuality(
      90,
      (quality) => Promise.resolve(quality),
      () => false,
    ),
  ).toBeUndefined();
  expect(
    await fitQuality(
      LEAST_QUALITY,
      () => Promise.reject(new Error('no coding')),
      () => true,
    ),
  ).toBeUndefined();
});
