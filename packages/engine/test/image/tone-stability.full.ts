import { describe, expect, test } from '@jest/globals';
import { withLight } from '../../../../bench/quality/cases.ts';
import { measureStability } from '../../../../bench/quality/stability.ts';
import { luma, type Rgb } from '../../../../bench/quality/metrics.ts';
import { improveTone } from '../../src/image/steps/tone.ts';
import { syntheticPhotograph } from '../support/photograph.ts';
import { expectNamed } from '../../../../test/support/expect-named.ts';

const photograph = syntheticPhotograph(400, 300, 3) as Rgb;
const samples = (change: (value: number, channel: number) => number, from = photograph): Rgb => ({
  ...from,
  data: from.data.map((v, i) => Math.max(0, Math.min(255, Math.round(change(v, i % 3))))),
});
const samplesAt = (change: (value: number, x: number) => number): Rgb => ({
  ...photograph,
  data: photograph.data.map((v, i) => Math.round(change(v, Math.floor(i / 3) % 400))),
});
/** Without the sky: pictures without a bright area need exposure. */
const ground: Rgb = { ...photograph, height: 168, data: photograph.data.slice(132 * 400 * 3) };

/** A white cup on a brown table: the cup is near white, and nothing else is neutral. */
const cup = samples((v, c) => v * [0.75, 0.45, 0.28][c]!, ground);
for (let y = 45; y < 115; y += 1) {
  for (let x = 140; x < 220; x += 1) {
    const shade = 0.955 + 0.03 * ((x - 140) / 80);
    cup.data.set([255 * shade, 253 * shade, 249 * shade], 3 * (y * cup.width + x));
  }
}

const PICTURES: Record<string, Rgb> = {
  'a good photograph': photograph,
  underexposed: withLight(ground, [0.2, 0.2, 0.2]),
  'three stops less light': withLight(photograph, [1 / 8, 1 / 8, 1 / 8]),
  'under warm light': withLight(ground, [1.15, 0.85, 0.5]),
  'under blue light': withLight(ground, [0.5, 0.8, 1.2]),
  'under dim blue light': withLight(ground, [0.25, 0.45, 0.7]),
  'a dull picture': samples((v) => 60 + 0.5 * v),
  'a white cup on a brown table': cup,
  // Its black rose a little each time, by a ΔE of 11.
  'a landscape beside black': samplesAt((v, x) => (x < 280 ? v * 0.03 : v)),
};

const more = (picture: Rgb, stops: number): Rgb => withLight(picture, [2 ** stops, 2 ** stops, 2 ** stops]);
/** A misty evening: blue for the most part, with a few brighter and less blue areas. */
const dusk: Rgb = { ...photograph, data: photograph.data.slice() };
for (let i = 0; i < dusk.data.length; i += 3) {
  const [r, g, b] = dusk.data.subarray(i, i + 3);
  const own = (r! - g!) / 10;
  const grey = 10 + (150 * (r! + g! + b!)) / 765;
  dusk.data.set([grey - Math.min(43, 0.45 * grey) + own, grey, grey + Math.min(50, 0.7 * grey) - own], i);
}

/** Colours that clip, a bright veil, a dark ground under a white sky, and dusk. */
const EXPOSED: Record<string, Rgb> = {
  'a landscape': photograph,
  'a colourful ground': ground,
  'a bright picture': samples((v) => 90 + 0.6 * v),
  'a dark ground under a white sky': { ...photograph, data: photograph.data.map((v, i) => (i < 132 * 1200 ? 252 : v)) },
  'a misty evening': dusk,
};

const enhance = async (picture: Rgb): Promise<Rgb> => {
  const copy = { ...picture, data: picture.data.slice(), channels: 3, space: 'rgb', hasAlpha: false } as const;
  await improveTone(copy, 'ENHANCE');
  return copy;
};

describe('ENHANCE of tone and colour', () => {
  test.each(Object.entries(PICTURES))('is stable: %s', async (_, picture) => {
    const {
      'second pass': again,
      'darker is brighter': disorder,
      ...changes
    } = await measureStability(picture, enhance);
    expectNamed(again!, 'second pass').toBeLessThan(1.5);
    // A gain amplifies rounding to whole levels, and so does the stretch of a dull picture.
    expectNamed(disorder!, 'darker is brighter').toBeLessThan(3.5);
    for (const [change, excess] of Object.entries(changes)) expectNamed(excess, change).toBeLessThan(1.5);
  });

  test.each(Object.entries(EXPOSED))('is stable under too much light: %s', async (_, picture) => {
    const {
      'second pass': again,
      // A clipped picture with less light is no scene with less light: its white is grey. The next test asks that.
      'darker is brighter': _disorder,
      ...changes
    } = await measureStability(more(picture, 1.2), enhance);
    expectNamed(again!, 'second pass').toBeLessThan(1.5);
    for (const [change, excess] of Object.entries(changes)) expectNamed(excess, change).toBeLessThan(1.5);
  });

  test.each(Object.entries(EXPOSED))('gives no brighter result for less light: %s', async (_, picture) => {
    const stops = Array.from({ length: 15 }, (_, i) => (i - 2) * 0.15);
    const levels: number[] = [];
    for (const own of stops) {
      const values = luma(await enhance(more(picture, own)));
      levels.push(values.reduce((sum, value) => sum + value, 0) / values.length);
    }
    // A made sky is so even that all of it clips at once.
    levels.forEach((level, i) => expect(Math.max(...levels.slice(0, i + 1)) - level).toBeLessThan(1.5));
  });
});
