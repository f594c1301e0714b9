import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { detectLargeFaces } from '../../src/image/faces/face-detector.ts';
import { skinOf } from '../../src/image/faces/skin.ts';
import { linearLight } from '../../src/image/steps/curves.ts';
import { improveTone } from '../../src/image/steps/tone.ts';
import { measureCoordinates } from '../../src/image/steps/tone-coordinates.ts';
import { castOfSkin, excessOfSkin } from '../../src/image/steps/tone-skin.ts';
import { toneSquare } from '../../src/image/steps/tone-square.ts';
import { toneThumbnail } from '../../src/image/steps/tone-thumbnail.ts';
import type { Picture } from '../../src/image/picture.ts';
import { withLight } from '../../../../bench/quality/cases.ts';
import { colourError, type Rgb } from '../../../../bench/quality/metrics.ts';
import { copyOf } from '../support/measure.ts';
import { flat } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';

const portrait = (await readRgb(fileURLToPath(new URL('../fixtures/portrait.jpg', import.meta.url)))) as Picture & Rgb;
const SKIN = [200, 150, 120];
const box = (x: number, width: number) => ({ x, y: 20, width, height: width, score: 1 });

describe('skinOf', () => {
  test('is the colour of the inner face, and of the larger of two faces', () => {
    const picture = flat(300, 200, SKIN);
    for (let y = 0; y < 200; y += 1) picture.data.fill(90, 3 * (300 * y + 200), 3 * 300 * (y + 1));
    const skin = skinOf(picture, [box(40, 100), box(230, 40)])!;
    const light = SKIN.map((value) => linearLight(value / 255)) as [number, number, number];
    skin.light.forEach((value, c) => expect(value).toBeCloseTo(light[c]!, 4));
    expect(skin.colour!.warm).toBeCloseTo(Math.log(light[0] / light[2]), 3);
    expect(skinOf(picture, [box(230, 40)])!.colour!.warm).toBeCloseTo(0, 3);
    expect(skinOf(picture, [])).toBeUndefined();
  });

  test('has no colour where it clips, and the same light in 16 bits', () => {
    expect(skinOf(flat(200, 200, [255, 240, 220]), [box(40, 100)])!.colour).toBeUndefined();
    const picture = flat(200, 200, SKIN);
    const deep = { ...picture, data: Uint16Array.from(picture.data, (value) => value * 257) };
    expect(skinOf(deep, [box(40, 100)])!.light[1]).toBeCloseTo(skinOf(picture, [box(40, 100)])!.light[1], 4);
  });
});

describe('castOfSkin', () => {
  const skin = (warm: number, tint: number) => ({ light: [0.3, 0.2, 0.1] as const, colour: { warm, tint } });
  const none = { warm: 0, tint: 0 };

  test('leaves skin in acceptable light as it is, and takes lamp light as far as shades of grey go', () => {
    expect(castOfSkin(none, skin(1, -0.1), { warm: 2, tint: 0.2 }, 1)).toEqual(none);
    expect(castOfSkin(none, skin(2.5, -0.1), { warm: 2, tint: 0.2 }, 1).warm).toBeCloseTo(0.6, 5);
    expect(castOfSkin(none, skin(2.5, -0.1), { warm: 0.4, tint: 0.2 }, 1).warm).toBe(0.4);
    expect(castOfSkin(none, skin(2.5, -0.1), { warm: 2, tint: 0.2 }, 0)).toEqual(none);
  });

  test('gives back what would make skin blue, and leaves light that is coloured on purpose', () => {
    expect(castOfSkin({ warm: 1.2, tint: 0 }, skin(1, -0.1), { warm: 2, tint: 0.2 }, 1).warm).toBeCloseTo(0.7, 5);
    expect(castOfSkin(none, skin(0.9, -1.6), { warm: 0.5, tint: -1 }, 1)).toEqual(none);
  });
});

describe('a portrait with too much light', () => {
  /** The portrait between two walls, so that nobody takes it for an object on white. */
  const scene = flat(512, portrait.height, [150, 140, 128]) as Picture & Rgb;
  for (let y = 0; y < portrait.height; y += 1) {
    const row = portrait.data.subarray(3 * y * portrait.width, 3 * (y + 1) * portrait.width);
    scene.data.set(row, 3 * (y * 512 + 128));
  }

  test('has more excess the more light it has, up to a bound, and none as it was taken', () => {
    const excess = (picture: Picture, light: number, courage = 0.25): number =>
      excessOfSkin(
        { light: [light, light, light], colour: undefined },
        measureCoordinates(toneSquare(toneThumbnail(picture))),
        {
          black: 0,
          cast: { warm: 0, tint: 0 },
          courage,
        },
      );
    const levels = [0.2, 0.35, 0.5, 0.65, 0.8, 0.95].map((light) => excess(portrait, light));
    expect(levels[0]).toBe(0);
    levels.slice(1).forEach((level, i) => expect(level).toBeGreaterThanOrEqual(levels[i]!));
    expect(levels.at(-1)).toBe(1.2);
    expect(excess(portrait, 0.5, 0.05)).toBeLessThan(excess(portrait, 0.5));
    expect(excess(portrait, 0.5, 0.4)).toBeGreaterThan(excess(portrait, 0.5));
  });

  test('comes closer to itself, and its face is found', async () => {
    const given = { ...scene, ...withLight(scene, [1.8, 1.8, 1.8]) };
    expect(await detectLargeFaces(given)).toHaveLength(1);
    const result = copyOf(given) as Picture & Rgb;
    await improveTone(result, 'ENHANCE');
    expect(colourError(result, scene)).toBeLessThan(0.8 * colourError(given, scene));
  });
});
