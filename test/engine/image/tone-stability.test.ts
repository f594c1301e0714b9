import { describe, test } from '@jest/globals';
import { withLight } from '../../../bench/quality/cases.ts';
import { measureStability } from '../../../bench/quality/stability.ts';
import type { Rgb } from '../../../bench/quality/metrics.ts';
import { improveTone } from '../../../src/engine/image/steps/tone.ts';
import { syntheticPhotograph } from '../support/photograph.ts';
import { expectNamed } from '../../support/expect-named.ts';

const photograph = syntheticPhotograph(400, 300, 3) as Rgb;
const samples = (change: (value: number, channel: number) => number, from = photograph): Rgb => ({
  ...from,
  data: from.data.map((v, i) => Math.max(0, Math.min(255, Math.round(change(v, i % 3))))),
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
};

const enhance = (picture: Rgb): Rgb => {
  const copy = { ...picture, data: picture.data.slice(), channels: 3, space: 'rgb', hasAlpha: false } as const;
  improveTone(copy, 'ENHANCE');
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
    // A gain amplifies rounding to whole levels.
    expectNamed(disorder!, 'darker is brighter').toBeLessThan(1);
    for (const [change, excess] of Object.entries(changes)) expectNamed(excess, change).toBeLessThan(1.5);
  });
});
