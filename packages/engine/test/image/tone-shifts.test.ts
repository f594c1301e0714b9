import { describe, expect, test } from '@jest/globals';
import { shiftLikelihood } from '../../src/image/steps/tone-likelihood.ts';
import { BIN_WIDTH as STEP, BINS as LINE, middleExcess } from '../../src/image/steps/tone-middle.ts';
import { PIXELS, squareOf } from '../../src/image/steps/tone-square.ts';
import { BINS, colourHistograms, excessiveCast, WIDTHS } from '../../src/image/steps/tone-white-point.ts';

const noise = (length: number, seed: number): Float32Array =>
  Float32Array.from({ length }, (_, i) => ((i * 7919 + seed * 104_729) % 997) / 997);

describe('shiftLikelihood', () => {
  const size = 8 * 4;
  const filters = noise(2 * size, 1);
  const histograms = [noise(size, 2), noise(size, 3)];

  test('is the convolution of histograms with filters, at most 0', () => {
    const found = shiftLikelihood(histograms, filters, 4);
    const sums = Array.from(found, (_, bin) => {
      const [row, column] = [Math.floor(bin / 4), bin % 4];
      return histograms.reduce((sum, histogram, n) => {
        return histogram.reduce((own, value, from) => {
          const at = ((row - Math.floor(from / 4) + 8) % 8) * 4 + ((column - (from % 4) + 4) % 4);
          return own + value * filters[n * size + at]!;
        }, sum);
      }, 0);
    });
    found.forEach((value, bin) => expect(value).toBeCloseTo(sums[bin]! - Math.max(...sums), 4));
  });

  test('shifts with its histograms', () => {
    const shifted = histograms.map((histogram) =>
      histogram.map((_, bin) => histogram[((Math.floor(bin / 4) + 8 - 3) % 8) * 4 + (((bin % 4) + 4 - 1) % 4)]!),
    );
    const [before, after] = [shiftLikelihood(histograms, filters, 4), shiftLikelihood(shifted, filters, 4)];
    before.forEach((value, bin) => {
      const to = ((Math.floor(bin / 4) + 3) % 8) * 4 + (((bin % 4) + 1) % 4);
      expect(after[to]).toBeCloseTo(value, 4);
    });
  });
});

describe('excessiveCast', () => {
  /** A normal distribution of casts, with standard deviations in bins. */
  const normal = (warm: number, tint: number, deviation: number): Float32Array =>
    Float32Array.from({ length: BINS * BINS }, (_, bin) => {
      const [row, column] = [Math.floor(bin / BINS), bin % BINS].map((line) => (line < BINS / 2 ? line : line - BINS));
      return -((row! - warm) ** 2 + (column! - tint) ** 2) / (2 * deviation ** 2);
    });

  test('accepts a white point that is likely enough', () => {
    expect(excessiveCast(normal(1, 1, 2), 0.5)).toEqual({ warm: 0, tint: 0 });
    expect(excessiveCast(normal(1, 1, 2), 0.9)).not.toEqual({ warm: 0, tint: 0 });
  });

  test('removes a cast up to the contour of the accepted share, and less of it for a smaller share', () => {
    for (const share of [0.9, 0.6, 0.2]) {
      const { warm, tint } = excessiveCast(normal(3, 0, 1.5), share);
      const contour = 3 - 1.5 * Math.sqrt(-2 * Math.log(share));
      expect(Math.abs(warm / WIDTHS.warm - contour)).toBeLessThan(0.75);
      expect(Math.abs(tint)).toBeLessThan(WIDTHS.tint);
    }
  });

  test('removes a cast that no scene has up to the likeliest white point', () => {
    const { warm, tint } = excessiveCast(normal(10, 2, 2), 0.2);
    expect(warm / WIDTHS.warm).toBeCloseTo(10, 0);
    expect(tint / WIDTHS.tint).toBeCloseTo(2, 0);
  });

  test('chooses the nearer of two likely white points', () => {
    const [near, far] = [normal(-5, 0, 1), normal(12, 0, 1)];
    const both = near.map((value, bin) => Math.max(value, far[bin]!));
    expect(excessiveCast(both, 0.1).warm).toBeLessThan(0);
  });
});

test('the excess of the middle is its mean less the deviations that are wanted, also of two peaks', () => {
  const peaks = (...peaks: number[]): Float32Array =>
    Float32Array.from({ length: LINE }, (_, bin) => {
      const own = bin < LINE / 2 ? bin : bin - LINE;
      return Math.log(peaks.reduce((sum, peak) => sum + Math.exp(-((own - peak) ** 2) / 8), 0));
    });
  expect(middleExcess(peaks(8), 0)).toBeCloseTo(8 * STEP, 3);
  expect(middleExcess(peaks(8), 0.5)).toBeCloseTo((8 - 0.5 * 2) * STEP, 3);
  // The spread of both peaks together is the root of 2² + 5².
  expect(middleExcess(peaks(-3, 7), 1)).toBeCloseTo((2 - Math.sqrt(29)) * STEP, 2);
});

test('another white point shifts the histograms of colours, and changes nothing else', () => {
  const side = PIXELS;
  const coded = (light: number): number => (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
  const light = noise(3 * side, 5).map((value) => 0.05 + 0.3 * value);
  const [warm, tint] = [3 * WIDTHS.warm, -2 * WIDTHS.tint];
  const gains = [warm / 2 - tint, 0, -warm / 2 - tint].map(Math.exp);
  const planes = light.map(coded);
  const tinted = light.map((value, i) => coded(value * gains[Math.floor(i / side)]!));
  const [before, after] = [colourHistograms(squareOf(planes))[0]!, colourHistograms(squareOf(tinted))[0]!];
  // Luma weighs the pixels, so the shares change a little.
  let apart = 0;
  before.forEach((value, bin) => {
    const to = ((Math.floor(bin / BINS) + 3) % BINS) * BINS + (((bin % BINS) + BINS - 2) % BINS);
    apart = Math.max(apart, Math.abs(after[to]! - value));
  });
  expect(apart).toBeLessThan(0.04);
  expect(Math.max(...before)).toBeGreaterThan(0.1);
});
