import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import type { ToneNote } from '@burnish/contract/engine';
import { colourError, type Rgb } from '../../../../bench/quality/metrics.ts';
import { withLight } from '../../../../bench/quality/cases.ts';
import type { Picture } from '../../src/image/picture.ts';
import { improveTone } from '../../src/image/steps/tone.ts';
import { toneNotes } from '../../src/image/steps/tone-change.ts';
import type { Look } from '../../src/image/steps/looks.ts';
import { flat } from '../support/files.ts';
import { copyOf, meanDifference, sameSamples, toneStatistics } from '../support/measure.ts';
import { readRgb } from '../support/read-rgb.ts';

const file = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}.jpg`, import.meta.url));
const sample = (name: string): string => fileURLToPath(new URL(`../../../../samples/${name}.jpg`, import.meta.url));
/** A finished portrait in the public domain. */
const portrait = (await readRgb(file('portrait'))) as Picture & Rgb;
const sunset = (await readRgb(file('sunset'))) as Picture & Rgb;

const mapped = (picture: Picture & Rgb, change: (value: number) => number): Picture & Rgb => ({
  ...picture,
  data: Uint8Array.from(picture.data, (v) => Math.max(0, Math.min(255, Math.round(change(v))))),
});
/** The portrait with another amount of light. */
const lit = (gain: number): Picture & Rgb => ({ ...portrait, ...withLight(portrait, [gain, gain, gain]) });

/** Two columns of shaded boxes on white. */
function pastelChart(left: readonly number[], right: readonly number[]): Picture & Rgb {
  const [width, height] = [640, 480];
  const data = new Uint8Array(width * height * 3).fill(255);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [across, down] = [(x % 320) / 320, (y % 60) / 60];
      if (across < 0.08 || down < 0.17) continue;
      const shade = 1 - 0.1 * (across + down);
      data.set(
        (x < 320 ? left : right).map((value) => Math.round(value * shade)),
        3 * (y * width + x),
      );
    }
  }
  return { width, height, data, channels: 3, space: 'rgb', hasAlpha: false };
}

async function improved<P extends Picture>(picture: P, look: Look = 'ENHANCE'): Promise<P> {
  const copy = copyOf(picture) as P;
  await improveTone(copy, look);
  return copy;
}

async function notesOf(picture: Picture, look: Look = 'ENHANCE'): Promise<ToneNote[]> {
  const { change } = await improveTone(copyOf(picture), look);
  return change ? toneNotes(change) : [];
}

/** Mean logarithm of red over blue, coded. */
const warmthOf = ({ data }: Picture): number => {
  let sum = 0;
  for (let i = 0; i < data.length; i += 3) sum += Math.log((data[i]! + 1) / (data[i + 2]! + 1));
  return (3 * sum) / data.length;
};

function pixelsOf(width: number, height: number, of: (x: number, y: number) => number[]): Picture & Rgb {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i += 1) data.set(of(i % width, Math.floor(i / width)).map(Math.round), 3 * i);
  return { width, height, data, channels: 3, space: 'rgb', hasAlpha: false };
}

const average = ({ data }: Picture): number => Array.from(data).reduce((sum, v) => sum + v, 0) / data.length;

describe('improveTone', () => {
  test('leaves a finished photograph bit for bit unchanged, unless VIVID is requested', async () => {
    for (const look of ['NATURAL', 'ENHANCE'] as const) {
      const copy = copyOf(portrait);
      expect((await improveTone(copy, look)).change).toBeUndefined();
      expect(sameSamples(copy, portrait)).toBe(true);
    }
    expect(meanDifference(await improved(portrait, 'VIVID'), portrait)).toBeGreaterThan(3);
  });

  test.each([
    ['underexposed by one stop', lit(0.5), 15, 6],
    ['underexposed by more than two stops', lit(0.2), 31, 6],
    ['underexposed by four stops', lit(1 / 16), 45, 16],
    ['flat', mapped(portrait, (v) => 70 + v * 0.45), 16, 7],
    ['of an eighth of its contrast', mapped(portrait, (v) => 60 + v / 8), 33, 7],
  ])('brings a photograph that is %s close to the finished one', async (_, damaged, before, after) => {
    expect(colourError(damaged, portrait)).toBeGreaterThan(before);
    expect(colourError(await improved(damaged), portrait)).toBeLessThan(after);
  });

  test('leaves a chart in pastel colours', async () => {
    for (const chart of [
      pastelChart([200, 225, 240], [245, 225, 230]),
      pastelChart([190, 220, 250], [240, 210, 220]),
    ]) {
      expect(colourError(await improved(chart), chart)).toBeLessThan(0.5);
    }
  });

  test('leaves the orange light of a sunset', async () => {
    expect(colourError(await improved(sunset), sunset)).toBeLessThan(0.5);
  });

  test('gives a greater exposure no darker result', async () => {
    const stops = Array.from({ length: 15 }, (_, i) => -3 + i / 4);
    const levels: number[] = [];
    for (const own of stops) levels.push(average(await improved(lit(2 ** own))));
    // A gain amplifies rounding to whole levels.
    levels.forEach((level, i) => expect(Math.max(...levels.slice(0, i)) - level).toBeLessThan(1.1));
  });

  test('changes hardly anything the second time', async () => {
    for (const damaged of [lit(0.5), lit(0.2), mapped(portrait, (v) => 70 + v * 0.45)]) {
      const once = await improved(damaged);
      expect(colourError(await improved(once), once)).toBeLessThan(1.5);
    }
  });

  test('has different modes: VIVID is the most colourful, NATURAL the most restrained', async () => {
    const dull = mapped(portrait, (v) => 60 + v * 0.55);
    const [natural, enhance, vivid] = [
      await improved(dull, 'NATURAL'),
      await improved(dull),
      await improved(dull, 'VIVID'),
    ];
    const colour = (picture: Picture): number => toneStatistics(picture)!.colourfulness;
    expect(colour(natural)).toBeLessThan(colour(enhance));
    expect(colour(enhance)).toBeLessThan(colour(vivid) * 0.92);
    expect(meanDifference(natural, dull)).toBeLessThan(0.95 * meanDifference(enhance, dull));
  });

  test('keeps grey neutral and as bright as in colour, preserves alpha, and gives 16 bits the result of 8', async () => {
    const dark = lit(0.3);
    const grey = mapped(dark, (v) => v);
    for (let i = 0; i < grey.data.length; i += 3) grey.data.fill(grey.data[i + 1]!, i, i + 3);
    const data = new Uint16Array(grey.width * grey.height * 2);
    for (let i = 0; i < data.length; i += 2) {
      data[i] = grey.data[(i / 2) * 3]! * 257;
      data[i + 1] = 65_535 - (i % 9);
    }
    const deep: Picture = { ...grey, data, channels: 2, space: 'grey', hasAlpha: true };
    const [colour, result] = [await improved(grey), await improved(deep)];
    const tints = colour.data.filter((value, i) => value !== colour.data[i - (i % 3)]);
    expect(tints).toHaveLength(0);
    expect(result.data.filter((_, i) => i % 2 === 1)).toEqual(data.filter((_, i) => i % 2 === 1));
    const asGrey = result.data.filter((_, i) => i % 2 === 0);
    const luma = Float64Array.from(asGrey, (_, i) => {
      const [r, g, b] = colour.data.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    });
    const apart = luma.reduce((sum, value, i) => sum + Math.abs(value - asGrey[i]! / 257), 0) / luma.length;
    expect(apart).toBeLessThan(1.5);
    expect(average(colour)).toBeGreaterThan(1.5 * average(grey));
  });

  test('keeps the white around an object at 255, and the object as it is', async () => {
    const page = flat(400, 400, [255, 255, 255]);
    for (let y = 0; y < portrait.height; y += 1) {
      const row = portrait.data.subarray(3 * y * portrait.width, 3 * (y + 1) * portrait.width);
      page.data.set(row, 3 * ((y + 72) * 400 + 72));
    }
    expect(sameSamples(await improved(page), page)).toBe(true);
  });

  test('preserves the colours of a logo', async () => {
    const logo = flat(200, 100, [96, 112, 138]);
    for (let i = 0; i < 200 * 100; i += 1) if (i % 200 < 60) logo.data.fill(250, i * 3, i * 3 + 3);
    expect(sameSamples(await improved(logo), logo)).toBe(true);
  });

  test('does not change CMYK, a swatch or a transparent image', async () => {
    const cases = [flat(64, 64, [9, 80, 120, 30], 'cmyk'), flat(9, 9, [120, 60, 60]), flat(64, 64, [80, 90, 70, 0])];
    for (const picture of cases) {
      const copy = copyOf(picture);
      expect((await improveTone(copy, 'VIVID')).change).toBeUndefined();
      expect(copy.data).toEqual(picture.data);
    }
  });

  test('gives twenty pictures in turn the results that each has after the others', async () => {
    const strip = (picture: Picture): Picture => ({
      ...picture,
      height: 64,
      data: picture.data.slice(0, 3 * 256 * 64),
    });
    const calm = Array.from({ length: 17 }, (_, i) => strip(lit(0.2 + i / 21)));
    // A large one, one that shows nothing, and one of a single colour.
    const others = [flat(600, 400, [40, 60, 50]), flat(64, 64, [80, 90, 70, 0]), flat(300, 300, [0, 0, 0])];
    const pictures = [...others, ...calm];
    const inTurn: Picture[] = [];
    for (const picture of pictures) inTurn.push(await improved(picture));
    for (const [i, picture] of [...pictures.entries()].reverse())
      expect(sameSamples(inTurn[i]!, await improved(picture))).toBe(true);
  });

  test('removes the light of a lamp, in which white things are the brightest, and keeps that of a sunset, which is the brightest itself', async () => {
    const cat = (await readRgb(sample('yellow-light'))) as Picture & Rgb;
    expect(warmthOf(cat) - warmthOf(await improved(cat))).toBeGreaterThan(0.5);
    // As warm as the cat: a bright orange sky above a darker, less warm sea.
    const dusk = pixelsOf(300, 200, (x, y) =>
      y < 120 ? [240 - x / 6, 160 + y / 4, 84 + y / 12] : [140 - y / 3, 100 - y / 4, 62 - y / 6 + (x % 7)],
    );
    expect(warmthOf(dusk) - warmthOf(await improved(dusk))).toBeLessThan(0.02);
  });

  test('says in figures what it did', async () => {
    const [dark] = await notesOf(lit(0.2));
    expect(dark).toMatchObject({ code: 'TONE_CORRECTED', light: expect.closeTo(2.3, 0), contrast: expect.any(Number) });
    const [blue] = await notesOf({ ...portrait, ...withLight(portrait, [0.6, 1, 1.5]) });
    expect(blue).toMatchObject({ code: 'TONE_CORRECTED', warmth: expect.closeTo(1.3, 0) });
    expect(await notesOf(portrait)).toEqual([]);
  });
});
