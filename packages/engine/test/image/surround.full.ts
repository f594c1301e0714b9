import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { cleanPage } from '../../src/image/document/clean-page.ts';
import type { Picture } from '../../src/image/picture.ts';
import { drawnPage, PAGE_HEIGHT, PAGE_WIDTH } from '../support/drawn-page.ts';
import { asSharp } from '../support/files.ts';
import { withNoise } from '../support/measure.ts';
import { readRgb } from '../support/read-rgb.ts';

const [WIDTH, HEIGHT] = [760, 640];

/** A page on the dark ground of a scanner with an open lid, turned by some degrees. */
async function onDarkGround(degrees: number, [left, top]: readonly [number, number]): Promise<Picture> {
  const paper = await asSharp(await drawnPage('', '#303030', '#f0ead8'))
    .ensureAlpha()
    .rotate(degrees, { background: '#0000' })
    .png()
    .toBuffer({ resolveWithObject: true });
  const ground = sharp({ create: { width: 1200, height: 1200, channels: 3, background: '#1e1c1f' } });
  const whole = await ground
    .composite([{ input: paper.data, left: 200 + left, top: 200 + top }])
    .png()
    .toBuffer();
  const cut = sharp(whole).extract({ left: 200, top: 200, width: WIDTH, height: HEIGHT });
  return withNoise(await readRgb(await cut.png().toBuffer()), 3);
}

const share = ({ data }: Picture, is: (level: number) => boolean): number =>
  Array.from(data).filter(is).length / data.length;

test.each<[string, number, readonly [number, number]]>([
  ['on all sides of a straight page', 0, [70, 90]],
  ['around a skewed page', 8, [20, 10]],
  ['beside a page that ends at two sides of the picture', -3, [-60, -50]],
])('a dark surround becomes white %s', async (_, degrees, place) => {
  const given = await onDarkGround(degrees, place);
  expect(share(given, (level) => level < 60)).toBeGreaterThan(0.25);
  const { picture, notes, trimmed } = cleanPage(given);
  expect(notes[0]).toEqual({ code: 'SURROUND_WHITENED' });
  expect(trimmed).toBe(true);
  expect(share(picture, (level) => level >= 250)).toBeGreaterThan(0.8);
  // The ink of the page covers a twentieth of the picture.
  const ink = share(picture, (level) => level < 60);
  expect(ink).toBeGreaterThan(0.02);
  expect(ink).toBeLessThan(0.06);
});

const WORDS = (fill: string): string =>
  Array.from({ length: 12 }, (_, k) => `<rect x="${90 + 36 * k}" y="14" width="20" height="8" fill="${fill}"/>`).join(
    '',
  );

test.each<[string, string]>([
  ['a bar with light words along a side', `<rect width="600" height="36" fill="#181818"/>${WORDS('#d0d0d0')}`],
  ['a bar along half of a side', '<rect width="36" height="240" fill="#181818"/>'],
  ['a dark picture in a corner', '<path d="M0 480V340H90Q160 380 130 480Z" fill="#181818"/>'],
])('%s stays, since it may be content', async (_, shapes) => {
  const given = withNoise(await drawnPage(shapes, '#303030', '#f0ead8'), 2);
  const dark = share(given, (level) => level < 40);
  const { picture, notes } = cleanPage(given);
  expect(notes).not.toContainEqual({ code: 'SURROUND_WHITENED' });
  expect([picture.width, picture.height]).toEqual([PAGE_WIDTH, PAGE_HEIGHT]);
  expect(share(picture, (level) => level < 60)).toBeGreaterThan(0.9 * dark);
});
