import sharp from 'sharp';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { cleanPage } from '../../src/image/document/clean-page.ts';
import { findFold } from '../../src/image/document/find-fold.ts';
import type { Picture } from '../../src/image/picture.ts';
import {
  drawnSpread,
  FOLD,
  SPREAD_HEIGHT as HEIGHT,
  SPREAD_WIDTH as WIDTH,
  type Light,
} from '../support/drawn-spread.ts';
import { pixel } from '../support/files.ts';
import { copyOf } from '../support/measure.ts';
import { readRgb } from '../support/read-rgb.ts';

/** The row of the rule of a page at a column, where it is darkest. */
function rowOfRule(picture: Picture, x: number): number {
  let [row, darkest] = [0, 256];
  for (let y = Math.round(0.8 * HEIGHT); y < HEIGHT - 20; y += 1) {
    const light = [-1, 0, 1].reduce((sum, dx) => sum + pixel(picture, x + dx, y)[1]!, 0) / 3;
    if (light < darkest) [row, darkest] = [y, light];
  }
  return row;
}

/** Rows by which the rules of the left and the right page fall over 300 columns. */
const falls = (picture: Picture): [number, number] =>
  [
    [0.1, 0.4],
    [0.6, 0.9],
  ].map(
    ([from, to]) => rowOfRule(picture, Math.round(to! * WIDTH)) - rowOfRule(picture, Math.round(from! * WIDTH)),
  ) as [number, number];

let spread: Picture;
beforeAll(async () => {
  spread = await drawnSpread({ left: 1.6, right: -1 });
});

describe('a spread', () => {
  test.each<[string, Light]>([
    ['deep', FOLD.deep],
    ['soft', FOLD.soft],
    ['a dark band', FOLD.band],
    ['darker on the left than on the right', FOLD.oneSided],
  ])('has its fold where the shadow is: %s', async (_, light) => {
    const fold = findFold(await drawnSpread({ left: 0.6, right: -0.4, light }));
    expect(Math.abs(fold!.at / WIDTH - 0.5)).toBeLessThan(0.01);
  });

  test('gets each page straight by its own turn', () => {
    expect(falls(spread).map((fall) => Math.sign(fall))).toEqual([1, -1]);
    const { picture, notes, turn, sides } = cleanPage(copyOf(spread));
    expect(notes[0]).toEqual({ code: 'SPREAD_TURNED', left: 1.6, right: 1 });
    expect(turn).toBeUndefined();
    expect(sides!.map((degrees) => Number(degrees.toFixed(1)))).toEqual([1.6, -1]);
    for (const fall of falls(picture)) expect(Math.abs(fall)).toBeLessThanOrEqual(1);
    expect([picture.width, picture.height]).toEqual([WIDTH, HEIGHT]);
    for (const x of [0.1, 0.3, 0.7, 0.9]) expect(pixel(picture, Math.round(x * WIDTH), 4)[1]).toBeGreaterThan(250);
  });

  test('turns the page that is skewed alone', async () => {
    const { notes, sides } = cleanPage(await drawnSpread({ left: 0, right: 1.2 }));
    expect(notes[0]).toEqual({ code: 'SPREAD_TURNED', left: 0, right: 1.2 });
    expect(sides![0]).toBe(0);
  });

  test('turns only as a whole where what lies over it could not follow', () => {
    const { notes, sides, together } = cleanPage(copyOf(spread), { turning: 'page' });
    expect({ sides, together }).toEqual({ sides: undefined, together: true });
    expect(notes.map(({ code }) => code)).not.toContain('SPREAD_TURNED');
  });

  test('keeps its direction on request', () => {
    const { turn, sides, picture } = cleanPage(copyOf(spread), { turning: 'keep' });
    expect({ turn, sides }).toEqual({ turn: undefined, sides: undefined });
    for (const [k, fall] of falls(picture).entries()) expect(Math.abs(fall - falls(spread)[k]!)).toBeLessThanOrEqual(1);
  });
});

describe('no spread', () => {
  const draw = async (shapes: string): Promise<Picture> =>
    readRgb(
      await sharp(
        Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${shapes}</svg>`),
      )
        .removeAlpha()
        .blur(0.6)
        .png()
        .toBuffer(),
    );
  const shade = (stops: string): string =>
    `<linearGradient id="g">${stops}</linearGradient><rect width="100%" height="100%" fill="url(#g)" style="mix-blend-mode:multiply"/>`;
  const fold = shade(
    [0, 0.44, 0.49, 0.5, 0.51, 0.56, 1]
      .map(
        (at, k) =>
          `<stop offset="${at}" stop-color="${['#fff', '#fff', '#777', '#333', '#777', '#fff', '#fff'][k]!}"/>`,
      )
      .join(''),
  );
  const words = (from: number, to: number): string =>
    Array.from({ length: 30 }, (_, line) =>
      Array.from({ length: Math.floor((to - from) / 12) }, (_, k) =>
        (k * 7 + line * 3) % 6 === 0 ? '' : `<rect x="${from + 12 * k}" y="${50 + 24 * line}" width="7" height="12"/>`,
      ).join(''),
    ).join('');
  const paper = '<rect width="100%" height="100%" fill="#f4f0e4"/>';

  test('the same drawing with a fold is one', async () => {
    expect(
      findFold(await draw(paper + words(80, 0.45 * WIDTH) + words(0.55 * WIDTH, WIDTH - 80) + fold)),
    ).toBeDefined();
  });

  test.each<[string, string]>([
    ['two columns', words(80, 0.47 * WIDTH) + words(0.53 * WIDTH, WIDTH - 80)],
    [
      'two columns with a rule between them',
      `${words(80, 0.47 * WIDTH) + words(0.53 * WIDTH, WIDTH - 80)}<rect x="${WIDTH / 2}" width="4" height="100%"/>`,
    ],
    [
      'a bar through the middle of a slide',
      `${words(80, 0.4 * WIDTH)}<rect x="${0.48 * WIDTH}" width="${0.04 * WIDTH}" height="100%" fill="#305070"/>`,
    ],
    ['lines that cross a crease', words(80, WIDTH - 80) + fold],
    [
      'a table',
      words(80, WIDTH - 80) +
        [0.2, 0.35, 0.5, 0.65, 0.8]
          .map((x) => `<rect x="${x * WIDTH}" y="30" width="3" height="${HEIGHT - 60}"/>`)
          .join(''),
    ],
    [
      'a shadow at a quarter of the width',
      words(0.3 * WIDTH, WIDTH - 80) +
        shade(
          [0, 0.19, 0.24, 0.25, 0.26, 0.31, 1]
            .map(
              (at, k) =>
                `<stop offset="${at}" stop-color="${['#fff', '#fff', '#777', '#333', '#777', '#fff', '#fff'][k]!}"/>`,
            )
            .join(''),
        ),
    ],
    [
      'a shadow over half the height',
      `${words(80, 0.45 * WIDTH) + words(0.55 * WIDTH, WIDTH - 80)}<svg width="100%" height="50%">${fold}</svg>`,
    ],
    [
      'one page beside a dark table',
      `${words(80, 0.45 * WIDTH)}<rect x="${0.5 * WIDTH}" width="50%" height="100%" fill="#181410"/>`,
    ],
  ])('is %s', async (_, shapes) => {
    expect(findFold(await draw(paper + shapes))).toBeUndefined();
  });

  test('is a fold without lines of text', async () => {
    const { sides, notes } = cleanPage(
      await draw(`${paper}<circle cx="300" cy="300" r="90"/><circle cx="900" cy="500" r="90"/>${fold}`),
    );
    expect(sides).toBeUndefined();
    expect(notes.map(({ code }) => code)).not.toContain('SPREAD_TURNED');
  });

  test('is an upright page, whatever shadow it has', async () => {
    const { data, info } = await sharp(spread.data as Uint8Array, {
      raw: { width: WIDTH, height: HEIGHT, channels: 3 },
    })
      .resize(700, 800, { fit: 'fill' })
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(findFold({ ...spread, data, width: info.width, height: info.height })).toBeUndefined();
  });
});
