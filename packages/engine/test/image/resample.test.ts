import fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { resample } from '../../src/image/filters/resample.ts';
import { upscale } from '../../src/image/steps/upscale.ts';
import type { Picture } from '../../src/image/picture.ts';
import { asSharp, flat, pixel } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { meanDifference, psnr } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';
import { flop } from '../support/flop.ts';

const photograph = syntheticPhotograph(160, 120);

describe('upscale', () => {
  test.each([2, 4])('by %i is symmetric: mirrored before or after, the same pixels', async (scale) => {
    const [before, after] = [await upscale(flop(photograph), scale), flop(await upscale(photograph, scale))];
    expect(meanDifference(before, after)).toBeLessThan(0.01);
  });

  test.each([2, 4])('by %i keeps the position of every pixel', async (scale) => {
    const dot = flat(15, 15, [0, 0, 0]);
    dot.data.fill(255, (7 * 15 + 7) * 3, (7 * 15 + 8) * 3);
    const { data, width } = await upscale(dot, scale);
    let [mass, momentX, momentY] = [0, 0, 0];
    for (let i = 0; i < data.length; i += 3) {
      const [x, y] = [(i / 3) % width, Math.floor(i / 3 / width)];
      mass += data[i]!;
      momentX += data[i]! * x;
      momentY += data[i]! * y;
    }
    // The centre of pixel 7 is at 7.5 of 15, and so at half of the result.
    expect(momentX / mass + 0.5).toBeCloseTo(7.5 * scale, 5);
    expect(momentY / mass + 0.5).toBeCloseTo(7.5 * scale, 5);
  });

  test('restores more of a halved photograph than plain enlarging with sharp', async () => {
    const halved = await readRgb(await asSharp(photograph).resize(80, 60, { kernel: 'linear' }).png().toBuffer());
    const ours = psnr(await upscale(halved, 2), photograph);
    const plain = psnr(
      await readRgb(await asSharp(halved).resize(160, 120, { kernel: 'cubic' }).png().toBuffer()),
      photograph,
    );
    expect(ours).toBeGreaterThan(plain + 0.5);
  });

  test('is within one level of the resampled image, edges and corners included, in colour and in grey', async () => {
    const side = fc.integer({ min: 1, max: 24 });
    const property = fc.asyncProperty(
      side,
      side,
      fc.constantFrom(1, 3),
      fc.nat(),
      async (width, height, channels, seed) => {
        const data = Uint8Array.from(
          { length: width * height * channels },
          (_, i) => Math.imul(i + seed, 0x9e3779b1) >>> 24,
        );
        const picture: Picture = {
          data,
          width,
          height,
          channels,
          space: channels === 1 ? 'grey' : 'rgb',
          hasAlpha: false,
        };
        for (const scale of [2, 4]) {
          const [quick, ours] = [await upscale(picture, scale), resample(picture, width * scale, height * scale)];
          expect([quick.width, quick.height, quick.data.length]).toEqual([ours.width, ours.height, ours.data.length]);
          expect(quick.data.every((value, i) => Math.abs(value - ours.data[i]!) <= 1)).toBe(true);
        }
      },
    );
    await fc.assert(property, { numRuns: 40 });
  });

  test('does not spread the colour of transparent pixels', async () => {
    const picture = flat(8, 8, [255, 0, 0, 255]);
    for (let i = 0; i < 8 * 8; i += 1) if (i % 8 >= 4) picture.data.set([0, 255, 0, 0], i * 4);
    const enlarged = await upscale(picture, 4);
    for (let x = 0; x < enlarged.width; x += 1) {
      const [r, g, , alpha] = pixel(enlarged, x, 16);
      if (alpha! > 8) expect([r, g]).toEqual([255, 0]);
    }
  });

  test('keeps 16 bits', async () => {
    const ramp: Picture = {
      ...flat(16, 4, [0], 'grey'),
      data: Uint16Array.from({ length: 64 }, (_, i) => 1000 + (i % 16) * 10),
    };
    const enlarged = await upscale(ramp, 2);
    expect(pixel(enlarged, 16, 4)[0]).toBe(1000 + 78);
    expect(enlarged.data).toBeInstanceOf(Uint16Array);
  });
});

describe('resample', () => {
  test('gives exactly the requested size, and preserves a uniform image', () => {
    const side = fc.integer({ min: 1, max: 24 });
    const property = fc.property(side, side, side, side, fc.integer({ min: 0, max: 255 }), (w, h, toW, toH, value) => {
      const result = resample(flat(w, h, [value, value, value]), toW, toH);
      expect([result.width, result.height, result.data.length]).toEqual([toW, toH, toW * toH * 3]);
      expect(result.data.every((sample) => sample === value)).toBe(true);
    });
    fc.assert(property, { numRuns: 100 });
  });

  test('averages when it reduces, so that a fine pattern becomes grey without aliasing', () => {
    const checks = flat(64, 64, [0], 'grey');
    checks.data.forEach((_, i) => (checks.data[i] = ((i % 64) + Math.floor(i / 64)) % 2 === 0 ? 0 : 255));
    const middle = pixel(resample(checks, 16, 16), 8, 8)[0]!;
    expect(Math.abs(middle - 127.5)).toBeLessThan(3);
  });
});
