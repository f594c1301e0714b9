import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { cleanPage } from '../../src/image/document/clean-page.ts';
import type { Picture } from '../../src/image/picture.ts';
import { drawnPage as page } from '../support/drawn-page.ts';
import { copyOf, sameSamples } from '../support/measure.ts';
import { randomNumbers } from '../support/photograph.ts';
import { readRgb } from '../support/read-rgb.ts';

test.each<[string, () => Promise<Picture>, boolean]>([
  ['a page of text', () => page('', '#303030', '#f0ead8'), true],
  ['a page of text on its side', () => drawing(linesDown()), true],
  ['a page with more ink in its dark heading, its chart and its frame', () => page(HEAVY, '#303030', '#f0ead8'), true],
  [
    'paper with a few shapes',
    () => drawing('<circle cx="200" cy="380" r="90"/><path d="M0 600 L300 480 L800 560 L800 600"/>'),
    false,
  ],
  ['line art with hatching', () => drawing(hatching()), true],
  ['notes in a few large letters', () => drawing(handwriting()), true],
  ['notes among crumbs of what shows through', () => drawing(handwriting() + crumbs(), { scale: 2 }), true],
  ['line art on a dark ground', () => drawing(handwriting(), { ground: '#2e3440', ink: '#08090c' }), false],
  ['a chart with words below its bars', () => drawing(chart()), false],
  ['a few rows of bars among dots', () => drawing(rowsAmongDots()), false],
  ['dark cells in disorder on an even ground', () => drawing(cells()), false],
])(
  'a picture that may be no page is cleaned only if it shows lines of text or strokes of ink: %s',
  async (_, draw, isText) => {
    const given = await draw();
    expect(cleanPage(copyOf(given)).changed).toBe(true);
    const { picture, changed, reason } = cleanPage(copyOf(given), { onlyPages: true, turning: 'keep' });
    expect([changed, reason]).toEqual([isText, isText ? undefined : 'no-page']);
    expect(sameSamples(picture, given)).toBe(!isText);
  },
);

/** A frame, a dark heading and bars of a chart around the letters of the drawn page. */
const HEAVY = `<path d="M0 0 H600 V480 H0 Z M18 12 V468 H582 V12 Z" fill="#101010" fill-rule="evenodd"/>
  <g fill="#202020"><rect x="36" y="12" width="528" height="14"/>${[0, 1, 2, 3].map((k) => `<rect x="${80 + 120 * k}" y="340" width="80" height="105"/>`).join('')}</g>`;

/** Draws dark shapes on even paper. */
const drawing = async (shapes: string, { ground = '#dde0e0', ink = '#202830', scale = 1 } = {}): Promise<Picture> =>
  readRgb(
    await sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${800 * scale}" height="${600 * scale}" viewBox="0 0 800 600"><rect width="800" height="600" fill="${ground}"/><g fill="${ink}">${shapes}</g></svg>`,
      ),
    )
      .removeAlpha()
      .blur(0.6)
      .png()
      .toBuffer(),
  );

/** Small blots in disorder. */
const crumbs = (): string =>
  Array.from({ length: 700 }, (_, k) => {
    const [x, y] = [20 + 30 * (k % 26) + ((k * 7) % 17), 12 + 21 * Math.floor(k / 26) + ((k * 5) % 11)];
    return `<rect x="${x}" y="${y}" width="2.5" height="2.5"/>`;
  }).join('');

/** Twelve fields of slanted strokes. */
const hatching = (): string =>
  Array.from({ length: 12 * 24 }, (_, k) => {
    const [x, y] = [60 + 350 * (Math.floor(k / 24) % 2) + 10 * (k % 24), 20 + 95 * Math.floor(k / 48)];
    return `<path d="M${x} ${y} l36 64 h3 l-36 -64 z"/>`;
  }).join('');

/** Thirty open letters of various sizes, on no common line. */
const handwriting = (): string =>
  Array.from({ length: 30 }, (_, k) => {
    const [x, y, size] = [
      40 + 70 * (k % 10) + 9 * (k % 3),
      320 + 90 * Math.floor(k / 10) + 17 * (k % 4),
      22 + 5 * (k % 5),
    ];
    const stroke = `fill="none" stroke-width="4" stroke="#08090c"`;
    return `<path ${stroke} d="M${x} ${y + size} q ${size / 2} ${-2 * size} ${size} 0 l ${size / 3} ${-size / 2}"/>`;
  }).join('');

const chart = (): string =>
  Array.from({ length: 12 }, (_, k) => {
    const label = Array.from(
      { length: 5 },
      (_, n) => `<rect x="${45 + 60 * k + 8 * n}" y="560" width="4" height="10"/>`,
    );
    return `<rect x="${45 + 60 * k}" y="${100 + 31 * (k % 5)}" width="36" height="${445 - 31 * (k % 5)}"/>${label.join('')}`;
  }).join('');

/** Cells of tissue: ellipses at random places. */
function cells(): string {
  const random = randomNumbers(7);
  return Array.from(
    { length: 1200 },
    () => `<ellipse cx="${800 * random()}" cy="${600 * random()}" rx="${3 + 2 * random()}" ry="${3 + 2 * random()}"/>`,
  ).join('');
}

/** Six rows of eight bars, and 600 lonely dots. */
const rowsAmongDots = (): string =>
  [
    ...Array.from({ length: 48 }, (_, k) => [100 + 10 * (k % 8), 40 + 80 * Math.floor(k / 8), 4]),
    ...Array.from({ length: 600 }, (_, k) => [220 + 19 * (k % 30), 10 + 29 * Math.floor(k / 30) + 7 * (k % 2), 5]),
  ]
    .map(([x, y, width]) => `<rect x="${x}" y="${y}" width="${width}" height="${width === 4 ? 12 : 5}"/>`)
    .join('');

/** Seven lines of bars like letters, which run down the page. */
const linesDown = (): string =>
  Array.from({ length: 7 * 30 }, (_, k) => {
    const [line, place] = [Math.floor(k / 30), k % 30];
    return `<rect x="${80 + 90 * line}" y="${20 + 17 * place + 5 * (line % 3)}" width="${place % 4 ? 14 : 20}" height="7"/>`;
  }).join('');
