import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { cleanPage } from '../../src/image/document/clean-page.ts';
import type { Picture } from '../../src/image/picture.ts';
import { pixel } from '../support/files.ts';
import { copyOf, sameSamples } from '../support/measure.ts';
import { gaussianNumbers, randomNumbers } from '../support/photograph.ts';
import { readRgb } from '../support/read-rgb.ts';

const [WIDTH, HEIGHT] = [900, 1200];

test('the paper of a page is what carries ink, not the brighter board behind it', async () => {
  const page = await drawn(
    `<rect width="900" height="1200" fill="#f3f3f5"/><rect x="80" y="60" width="740" height="1080" fill="#e6dcc4"/>
    <path d="M80 60 v1080" stroke="#5a5650" stroke-width="6"/>${writing(14)}`,
  );
  const { picture, reason } = cleanPage(page, { onlyPages: true, turning: 'keep' });
  expect(reason).toBeUndefined();
  expect(lightAt(picture, 450, 100)).toBeGreaterThanOrEqual(250);
});

test('the dark lid beside the paper hides no writing', async () => {
  const lid = '<path d="M0 0 H26 V1200 H0 Z M860 0 H900 V1200 H860 Z" fill="#0c0c0c"/>';
  const page = await drawn(`<rect width="900" height="1200" fill="#e6dcc4"/>${lid}${writing(5)}`);
  expect(cleanPage(page, { onlyPages: true, turning: 'keep' }).reason).toBeUndefined();
});

test('writing in joined letters on coarse paper is text by the pitch of its lines', async () => {
  const page = coarse(await drawn(`<rect width="900" height="1200" fill="#cfc3a4"/>${writing(16)}`));
  const { picture, reason } = cleanPage(page, { onlyPages: true, turning: 'keep' });
  expect(reason).toBeUndefined();
  expect(lightAt(picture, 450, 40)).toBeGreaterThanOrEqual(250);
});

test.each<[string, string, boolean]>([
  ['lines of text', sheetOf(print()), true],
  ['a few strokes', sheetOf('<path d="M330 500 l60 90 M420 480 l-30 120" stroke="#2a2018" stroke-width="3"/>'), false],
])('a small sheet on a table is a page if it has lines of text: %s', async (_, shapes, isPage) => {
  const given = await drawn(ground({ light: 18, warmth: 4 }) + shapes);
  const { picture, changed } = cleanPage(copyOf(given), { onlyPages: true, turning: 'keep' });
  expect(changed).toBe(isPage);
  expect(lightAt(picture, 450, 430) >= 240).toBe(isPage);
  // What surrounds the sheet
  expect(lightAt(picture, 60, 60) >= 240).toBe(isPage);
  expect(lightAt(given, 60, 60)).toBeLessThan(80);
});

test.each<[string, string]>([
  ['alone', ''],
  ['with bushes in disorder', bushes()],
  ['with a fence', fence()],
])('a coarse ground without lines is no page: %s', async (_, shapes) => {
  const given = coarse(await drawn(`<rect width="900" height="1200" fill="#cfc3a4"/>${shapes}`));
  const { picture, changed } = cleanPage(copyOf(given), { onlyPages: true, turning: 'keep' });
  expect(changed).toBe(false);
  expect(sameSamples(picture, given)).toBe(true);
});

test.each<[string, string]>([
  [
    'branches before a grey sky',
    `<rect width="900" height="1200" fill="#d4d6da"/>${ground({ from: 600 })}${branches()}`,
  ],
  [
    'thin shadows on light ground below a black sky',
    `<rect width="900" height="1200" fill="#c8c8c8"/><path d="M0 0 H900 V420 L0 330 Z" fill="#040404"/><g transform="translate(0 560)">${branches()}</g>`,
  ],
])('dark lines of a photograph are no strokes on paper: %s', async (_, shapes) => {
  const given = await drawn(shapes);
  const { picture, changed } = cleanPage(copyOf(given), { onlyPages: true, turning: 'keep' });
  expect(changed).toBe(false);
  expect(sameSamples(picture, given)).toBe(true);
});

async function drawn(shapes: string): Promise<Picture> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${shapes}</svg>`;
  return readRgb(await sharp(Buffer.from(svg)).removeAlpha().blur(0.6).png().toBuffer());
}

/** A sheet of an eighth of the picture. */
function sheetOf(shapes: string): string {
  return `<rect x="280" y="400" width="350" height="400" fill="#d8d6d0"/>${shapes}`;
}

/** Nine lines of bars like letters. */
function print(): string {
  return Array.from({ length: 9 * 26 }, (_, k) => {
    const [line, place] = [Math.floor(k / 26), k % 26];
    return `<rect x="${310 + 11 * place}" y="${450 + 36 * line}" width="6" height="${place % 4 ? 11 : 15}" fill="#2a2018"/>`;
  }).join('');
}

/** Lines of uneven waves without gaps, as of joined letters, around the middle of the page. */
function writing(lines: number): string {
  const random = randomNumbers(3);
  return Array.from({ length: lines }, (_, line) => {
    const y = 600 + 60 * (line - (lines - 1) / 2);
    const waves = Array.from({ length: 42 }, () => {
      const [half, height] = [5 + 5 * random(), 20 + 16 * random()];
      return `q ${half} ${-height} ${half} 0 q ${half / 2} 14 ${half / 2} 0`;
    });
    return `<path d="M130 ${y} ${waves.join(' ')}" fill="none" stroke="#2a2018" stroke-width="3"/>`;
  }).join('');
}

/** Dark blots of many sizes, none in a line. */
function bushes(): string {
  const random = randomNumbers(5);
  return Array.from({ length: 90 }, () => {
    const [x, y, size] = [WIDTH * random(), HEIGHT * random(), 8 + 34 * random()];
    return `<ellipse cx="${x}" cy="${y}" rx="${size}" ry="${size * 0.7}" fill="#2c3020"/>`;
  }).join('');
}

/** Uneven fields from a row to the lower edge, grey or brown and green. */
function ground({ from = 0, light = 90, warmth = 45 } = {}): string {
  const random = randomNumbers(9);
  return Array.from({ length: 60 * Math.ceil((HEIGHT - from) / 15) }, (_, k) => {
    const [x, y, tone] = [15 * (k % 60), from + 15 * Math.floor(k / 60), light * (1 + 0.8 * random())];
    return `<rect x="${x}" y="${y}" width="16" height="16" fill="rgb(${tone} ${tone - (warmth / 3) * random()} ${tone - warmth})"/>`;
  }).join('');
}

/** Thin twigs in all directions over the upper half. */
function branches(): string {
  const random = randomNumbers(13);
  return Array.from({ length: 60 }, () => {
    const [x, y] = [50 + 800 * random(), 60 + 460 * random()];
    return `<path d="M${x} ${y} l${90 * (random() - 0.5)} ${90 * random()}" stroke="#282420" stroke-width="3"/>`;
  }).join('');
}

/** Upright bars beside each other. */
function fence(): string {
  return Array.from(
    { length: 16 },
    (_, k) => `<rect x="${40 + 52 * k}" y="300" width="9" height="620" fill="#302c28"/>`,
  ).join('');
}

/** Adds grain of several pixels, deviation 9 levels, which is not white noise. */
function coarse(picture: Picture): Picture {
  const random = gaussianNumbers(11);
  const [across, down] = [WIDTH / 3, HEIGHT / 3];
  const grain = Float64Array.from({ length: across * down }, () => 9 * random());
  const data = picture.data.map((sample, i) => {
    const [x, y] = [Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH)];
    return Math.max(0, Math.min(255, sample + grain[Math.floor(y / 3) * across + Math.floor(x / 3)]!));
  });
  return { ...picture, data };
}

const lightAt = (picture: Picture, x: number, y: number): number => Math.min(...pixel(picture, x, y));
