import { describe, expect, test } from '@jest/globals';
import type { Picture } from '../../src/image/picture.ts';
import { sharpen } from '../../src/image/steps/sharpen.ts';
import { asSharp, flat, pixel } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { copyOf, psnr, sameSamples } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

/** A soft edge from 60 to 190 in the middle of the width. */
function edge(): Picture {
  const picture = flat(48, 48, [0, 0, 0]);
  for (let i = 0; i < 48 * 48; i += 1) {
    const value = Math.round(60 + 130 / (1 + Math.exp(-((i % 48) - 23.5) / 1.4)));
    picture.data.fill(value, i * 3, i * 3 + 3);
  }
  return picture;
}

describe('sharpen', () => {
  test('makes an edge steeper', () => {
    const sharp = edge();
    sharpen(sharp, 1, 1);
    const slope = (p: Picture): number => pixel(p, 25, 20)[0]! - pixel(p, 22, 20)[0]!;
    expect(slope(sharp)).toBeGreaterThan(slope(edge()) * 1.1);
  });

  test('creates no halo beside an edge: no sample exceeds its surroundings by more than a few levels', () => {
    const hard = flat(48, 48, [60, 60, 60]);
    for (let i = 0; i < 48 * 48; i += 1) if (i % 48 >= 24) hard.data.fill(190, i * 3, i * 3 + 3);
    sharpen(hard, 1, 1);
    expect(Math.min(...hard.data)).toBeGreaterThanOrEqual(56);
    expect(Math.max(...hard.data)).toBeLessThanOrEqual(194);
  });

  test('brings a slightly blurred photograph closer to the original', async () => {
    const photograph = syntheticPhotograph(256, 192);
    const blurred = await readRgb(await asSharp(photograph).blur(0.7).png().toBuffer());
    const result = copyOf(blurred);
    sharpen(result, 0.5, 1);
    expect(psnr(result, photograph)).toBeGreaterThan(psnr(blurred, photograph) + 0.5);
  });

  test('preserves uniform parts, hue and alpha', () => {
    const picture = flat(40, 300, [200, 100, 50, 128]);
    sharpen(picture, 1, 2);
    expect(sameSamples(picture, flat(40, 300, [200, 100, 50, 128]))).toBe(true);
  });

  test('gives the same result for a row inside a band and at its border', () => {
    const tall = syntheticPhotograph(64, 400);
    const cut: Picture = { ...tall, height: 260, data: tall.data.slice(64 * 140 * 3) };
    sharpen(tall, 1, 1);
    sharpen(cut, 1, 1);
    // Away from the cut itself the pixels are the same, though the bands begin elsewhere.
    expect(Buffer.from(cut.data.slice(64 * 20 * 3)).equals(Buffer.from(tall.data.slice(64 * 160 * 3)))).toBe(true);
  });
});
