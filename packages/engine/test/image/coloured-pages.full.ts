import { describe, expect, test } from '@jest/globals';
import { cleanPage } from '../../src/image/document/clean-page.ts';
import type { Picture } from '../../src/image/picture.ts';
import { drawnPage, lit, whiteShare } from '../support/drawn-page.ts';
import { asSharp, pixel } from '../support/files.ts';
import { copyOf, withNoise } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';
import { readRgb } from '../support/read-rgb.ts';
import { expectNamed } from '../../../../test/support/expect-named.ts';

const CLEANED = { code: 'PAGE_CLEANED' };
const LIGHT_ONLY = { code: 'PAGE_LIGHT_EVENED' };

/** Shares of red, green and blue that light has. */
const [WARM, WHITE, BLUE] = [
  [1, 0.96, 0.86],
  [1, 1, 1],
  [0.68, 0.85, 1],
];

/** A page as a phone takes it: light that falls off, noise and a JPEG. */
async function photographed(page: Picture, light = WARM): Promise<Picture> {
  const shaded = withNoise(
    lit(page, (u, v) => 0.95 - 0.25 * u - 0.1 * v, light),
    2,
  );
  return await readRgb(await asSharp(shaded).jpeg({ quality: 88 }).toBuffer());
}

/** Share of the pixels of a box whose channels differ by at most 12 from those of the page. */
function keptShare(
  page: Picture,
  result: Picture,
  [left, top, right, bottom]: readonly [number, number, number, number],
) {
  let [kept, count] = [0, 0];
  for (let y = top; y < bottom; y += 2) {
    for (let x = left; x < right; x += 2) {
      const [one, other] = [pixel(page, x, y), pixel(result, x, y)];
      count += 1;
      if (one.every((level, c) => Math.abs(level - other[c]!) <= 12)) kept += 1;
    }
  }
  return kept / count;
}

describe('paper with a tint', () => {
  test('becomes white where the light is blue, which gives the ink the same tint', async () => {
    const page = await drawnPage('', '#484848');
    const { picture, notes } = cleanPage(await photographed(page, BLUE));
    expect(notes).toEqual([CLEANED]);
    expect(whiteShare(page, picture)).toBeGreaterThan(0.98);
    const [red, , blue] = pixel(picture, 102, 55) as [number, number, number];
    expect([blue < 90, Math.abs(blue - red) < 12]).toEqual([true, true]);
  });

  test('becomes white under the light of a lamp, and where it is aged', async () => {
    const page = await drawnPage('', '#303030', '#e6d3a8');
    const { picture } = cleanPage(await photographed(page));
    expect(whiteShare(await drawnPage(), picture)).toBeGreaterThan(0.98);
  });

  test.each<[string, string, string, string]>([
    ['a blue certificate', '#b4d4f4', '#484848', ''],
    ['a pale blue certificate', '#cde0f8', '#484848', ''],
    ['a certificate in dark blue ink', '#b4d4f4', '#182c60', ''],
    [
      'a blue sheet beside white',
      '#b4d4f4',
      '#36404a',
      '<rect x="540" y="10" width="56" height="460" fill="#ffffff"/>',
    ],
    ['a pink form', '#f8ccd8', '#484848', ''],
    ['a green form', '#c4f0cc', '#484848', ''],
    ['a yellow form', '#fff29c', '#484848', ''],
  ])('keeps its own colour: %s', async (_, paper, ink, more) => {
    const given = await photographed(await drawnPage(more, ink, paper), WHITE);
    const { picture } = cleanPage(copyOf(given), { onlyPages: true });
    const [before, after] = [given, picture].map((each) => pixel(each, 300, 400)) as [number[], number[]];
    const share = (colour: number[], c: number): number => colour[c]! / Math.max(...colour);
    for (const c of [0, 1, 2]) expect(Math.abs(share(before, c) - share(after, c))).toBeLessThan(0.03);
  });
});

describe('a page with colours', () => {
  test('keeps pale grounds with an edge, and the letters on them', async () => {
    const fills = { pink: '#fde3ea', blue: '#e2f0fd', green: '#e2f6ea', yellow: '#fdf3cf' };
    const left = (k: number): number => 24 + 144 * k;
    const grounds = Object.values(fills).map((fill, k) => {
      const letters = Array.from(
        { length: 8 },
        (_, n) => `<rect x="${left(k) + 14 + 12 * n}" y="370" width="5" height="14"/>`,
      );
      return `<rect x="${left(k)}" y="334" width="120" height="96" rx="12" fill="${fill}"/><g fill="#202020">${letters.join('')}</g>`;
    });
    const page = await drawnPage(grounds.join(''), '#1c1c1c');
    const { picture, notes } = cleanPage(await photographed(page));
    expect(notes).toContainEqual(CLEANED);
    for (const [k, name] of Object.keys(fills).entries()) {
      expectNamed(keptShare(page, picture, [left(k) + 6, 346, left(k) + 114, 366]), name).toBeGreaterThan(0.98);
      expectNamed(Math.max(...pixel(picture, left(k) + 16, 376)), name).toBeLessThan(90);
    }
    expect(whiteShare(page, picture)).toBeGreaterThan(0.98);
  });

  test('keeps the hue of a bright ground that is lighter than the paper in one channel', async () => {
    const page = await drawnPage(
      '<rect x="90" y="340" width="320" height="110" fill="#fac804"/>',
      '#1c1c1c',
      '#e1e1e1',
    );
    const { picture, notes } = cleanPage(copyOf(page));
    expect(notes).toContainEqual(CLEANED);
    const [red, green] = pixel(picture, 250, 395) as [number, number];
    expect(red).toBeGreaterThan(250);
    expect(Math.abs(green / red - 200 / 250)).toBeLessThan(0.02);
  });

  test('keeps a bottle on a pastel ground whole', async () => {
    const bottle = `<linearGradient id="glass"><stop stop-color="#9aa0a6"/><stop offset="0.4" stop-color="#f6f7f8"/><stop offset="1" stop-color="#b8bcc2"/></linearGradient>
      <g transform="scale(0.6)"><rect x="600" y="60" width="300" height="400" fill="#fbdde6"/><rect x="700" y="150" width="100" height="280" rx="24" fill="url(#glass)"/>
      <rect x="725" y="100" width="50" height="60" fill="#d8dade"/><rect x="710" y="250" width="80" height="60" fill="#7a3e98"/></g>`;
    const page = await drawnPage(bottle, '#1c1c1c');
    const { picture } = cleanPage(await photographed(page));
    expect(keptShare(page, picture, [364, 40, 536, 272])).toBeGreaterThan(0.95);
  });

  test('keeps the land and the water of a drawn map', async () => {
    const map = `<g transform="scale(0.6)"><path d="M520 80 L880 60 L900 300 L760 420 L560 380 Z" fill="#e6efd6"/><path d="M520 80 L560 380 L420 460 L400 120 Z" fill="#d6e8f4"/>
      <path d="M560 120 L700 300 L880 280" fill="none" stroke="#c8b090" stroke-width="3"/></g>`;
    const page = await drawnPage(map, '#1c1c1c');
    const { picture } = cleanPage(await photographed(page));
    expect(keptShare(page, picture, [420, 72, 516, 156])).toBeGreaterThan(0.95);
    expect(keptShare(page, picture, [258, 120, 312, 240])).toBeGreaterThan(0.95);
  });

  test('loses a stain, whose colour has no edge', async () => {
    const stain =
      '<radialGradient id="stain"><stop stop-color="#f6ead4"/><stop offset="1" stop-color="#ffffff"/></radialGradient><circle cx="420" cy="400" r="75" fill="url(#stain)"/>';
    const page = await drawnPage(stain, '#1c1c1c');
    const { picture } = cleanPage(await photographed(page));
    // The stain covers 9 % of the paper.
    expect(whiteShare(await drawnPage(), picture)).toBeGreaterThan(0.97);
  });

  test('is white up to the edge of a picture', async () => {
    const photograph = await asSharp(syntheticPhotograph(180, 144, 3))
      .png()
      .toBuffer();
    const page = await readRgb(
      await asSharp(await drawnPage('', '#000000'))
        .composite([{ input: photograph, left: 358, top: 122 }])
        .removeAlpha()
        .png()
        .toBuffer(),
    );
    const { picture } = cleanPage(
      withNoise(
        lit(page, (u) => 0.95 - 0.25 * u),
        4,
      ),
    );
    const beside = Array.from({ length: 120 }, (_, k) => [545, 551, 559].map((x) => pixel(picture, x, 132 + k)));
    const white = beside.flat().filter((colour) => Math.min(...colour) >= 250);
    expect(white.length / 360).toBeGreaterThan(0.98);
  });

  test('gets even light and no white where coloured grounds cover most of it', async () => {
    const tiles = ['#f6c8d2', '#bfe6e2', '#f4dfae', '#c9d4f2', '#d8efc4', '#e6cdee']
      .map(
        (fill, k) =>
          `<rect x="${24 + (k % 3) * 195}" y="${21 + Math.floor(k / 3) * 231}" width="162" height="198" fill="${fill}"/>`,
      )
      .join('');
    const letters = Array.from(
      { length: 120 },
      (_, k) =>
        `<rect x="${36 + (k % 30) * 18}" y="${36 + Math.floor(k / 30) * 30}" width="5" height="14" fill="#222"/>`,
    );
    const page = await drawnPage(`${tiles}${letters.join('')}`, '#ffffff');
    const given = await photographed(page);
    const { picture, notes, lightOnly } = cleanPage(copyOf(given));
    expect([lightOnly, notes]).toEqual([true, [LIGHT_ONLY]]);
    for (const [x, y] of [
      [90, 180],
      [288, 180],
      [480, 180],
      [90, 360],
      [288, 360],
      [480, 360],
    ] as const) {
      const [red, green, blue] = pixel(given, x, y) as [number, number, number];
      const [newRed, newGreen, newBlue] = pixel(picture, x, y) as [number, number, number];
      expect(Math.abs(newRed / newGreen - red / green)).toBeLessThan(0.05);
      expect(Math.abs(newBlue / newGreen - blue / green)).toBeLessThan(0.05);
    }
  });
});
