import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { applyColourChange, codedLight, linearLight, LUMA } from '../../src/image/steps/curves.ts';
import type { Picture } from '../../src/image/picture.ts';
import type { ToneStatistics } from '../../src/image/steps/tone-statistics.ts';
import { flat } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { copyOf, toneStatistics, withNoise } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';
import { expectNamed } from '../../../../test/support/expect-named.ts';

const portrait = await readRgb(fileURLToPath(new URL('../fixtures/portrait.jpg', import.meta.url)));

/** A picture of at most 200 pixels a side, of which each pixel is a cell. */
function crop(picture: Picture, side: number): Picture {
  const rows = Array.from({ length: side }, (_, y) =>
    picture.data.slice(y * picture.width * 3, (y * picture.width + side) * 3),
  );
  return { ...picture, width: side, height: side, data: Uint8Array.from(rows.flatMap((row) => [...row])) };
}

/** The same figures by sorting. */
function bySorting({ data }: Picture): Omit<ToneStatistics, 'lights' | 'drawn' | 'lit'> {
  const pixels = Array.from({ length: data.length / 3 }, (_, i) =>
    [...data.subarray(3 * i, 3 * i + 3)].map((v) => v / 255),
  );
  const at = (values: number[], part: number): number =>
    values.sort((a, b) => a - b)[Math.round((values.length - 1) * part)]!;
  const lumas = pixels.map(([r, g, b]) => LUMA[0] * r! + LUMA[1] * g! + LUMA[2] * b!);
  return {
    median: at([...lumas], 0.5),
    high: at(
      pixels.map((pixel) => Math.max(...pixel)),
      0.995,
    ),
    points: at(
      pixels.map((pixel) => Math.max(...pixel)),
      0.9996,
    ),
    colourfulness: pixels.reduce((sum, pixel) => sum + Math.max(...pixel) - Math.min(...pixel), 0) / pixels.length,
    white: pixels.filter((pixel) => Math.min(...pixel) > 0.97).length / pixels.length,
  };
}

/** The levels with so much light that the brightest points have the coded value 0.8. */
function litBySorting(picture: Picture): ToneStatistics['lit'] {
  const { median, points } = bySorting(picture);
  const lit = (value: number): number =>
    codedLight(Math.min(1, linearLight(value) * Math.max(1, linearLight(0.8) / linearLight(points))));
  const largest = Array.from({ length: picture.data.length / 3 }, (_, i) =>
    lit(Math.max(...picture.data.subarray(3 * i, 3 * i + 3)) / 255),
  );
  return {
    median: lit(median),
    black: largest.filter((value) => value < 0.02).length / largest.length,
    bright: largest.filter((value) => value > 0.5).length / largest.length,
  };
}

const underexposed = (picture: Picture): Picture => ({ ...picture, data: picture.data.map((v) => v / 3) });
const overexposed = (picture: Picture): Picture => ({
  ...picture,
  data: picture.data.map((v) => Math.min(255, v * 1.6)),
});

describe('tone statistics', () => {
  test.each([
    ['a portrait', crop(portrait, 110)],
    ['a landscape', crop(syntheticPhotograph(256, 192), 110)],
    ['an underexposed landscape', underexposed(crop(syntheticPhotograph(256, 192), 110))],
    ['an overexposed landscape', overexposed(crop(syntheticPhotograph(256, 192), 110))],
  ])('by tables and histograms equal those of sorted pixels: %s', (_, picture) => {
    const [found, expected] = [toneStatistics(picture)!, bySorting(picture)];
    for (const name of ['median', 'high', 'colourfulness', 'points'] as const)
      expectNamed(Math.abs(found[name] - expected[name]), name).toBeLessThan(0.0005);
    const lit = litBySorting(picture);
    for (const name of ['median', 'black', 'bright'] as const)
      expectNamed(Math.abs(found.lit[name] - lit[name]), name).toBeLessThan(0.001);
  });

  test('detect a drawing of four colours, also with little noise', () => {
    const drawing = flat(180, 180, [250, 250, 250]);
    drawing.data.forEach((_, i) => (drawing.data[i] = [250, 20, 130, 60][(Math.floor(i / 3) >> 4) & 3]!));
    for (let i = 0; i < drawing.data.length; i += 7) drawing.data[i] = (i * 31) & 255;
    expect(toneStatistics(flat(180, 180, [250, 250, 250]))!.drawn).toBe(1);
    expect(toneStatistics(drawing)!.drawn).toBe(0);
    for (let i = 0; i < drawing.data.length; i += 1)
      if (i % 540 < 400) drawing.data[i] = [250, 20, 130, 60][(Math.floor(i / 3) >> 4) & 3]!;
    expect(toneStatistics(drawing)!.drawn).toBe(1);
    expect(toneStatistics(withNoise(drawing, 1))!.drawn).toBeGreaterThan(0.9);
  });

  test.each([
    [900, 1],
    [1250, 0.5],
    [1600, 0],
  ])('a photograph with %d pixels that are not black is a drawing with a confidence of %d', (lit, confidence) => {
    const picture = crop(portrait, 110);
    for (let i = 0; i < picture.data.length; i += 1)
      picture.data[i] = i < 3 * lit ? 40 + 0.8 * portrait.data[3 * 256 * 100 + i]! : 0;
    expect(toneStatistics(picture)!.drawn).toBeCloseTo(confidence, 1);
  });
});

test.each([1, 1.3, 0.6])('with curves and a saturation of %d are exact to within a level', (saturation) => {
  const curves = [(v: number) => v ** 0.8, (v: number) => v * 0.9, (v: number) => 0.05 + v * 0.9];
  const picture = copyOf(portrait);
  applyColourChange(picture, { curves, saturation });
  let worst = 0;
  for (let i = 0; i < portrait.data.length; i += 3) {
    const curved = curves.map((curve, c) => curve(portrait.data[i + c]! / 255) * 255);
    const grey = LUMA.reduce((sum, weight, c) => sum + weight * curved[c]!, 0);
    const room = curved.map((v) => (v > grey ? (255 - grey) / (v - grey) : v < grey ? grey / (grey - v) : 9));
    const stretch = saturation > 1 ? Math.max(1, Math.min(saturation, ...room)) : saturation;
    curved.forEach((v, c) => (worst = Math.max(worst, Math.abs(grey + (v - grey) * stretch - picture.data[i + c]!))));
  }
  expect(worst).toBeLessThanOrEqual(0.51);
});
