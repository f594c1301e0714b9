import { writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { ArithmeticCoder } from '../../src/pdf/images/arithmetic-coder.ts';
import { encodeJbig2, type Bitmap } from '../../src/pdf/images/jbig2-encoder.ts';
import { buildPdf, imagePage } from '../../../pdf/test/build-pdf.ts';
import { scratchFolder } from '../support/files.ts';
import { imageByPoppler } from './judges.ts';
import { samplesOf } from './support.ts';

const scratch = await scratchFolder();

/** A bitmap from a function of places; the same at each run. */
function bitmap(width: number, height: number, isBlack: (x: number, y: number) => boolean): Bitmap {
  const data = new Uint8Array(width * height);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) data[at] = isBlack(x, y) ? 1 : 0;
  return { data, width, height };
}

/** A hash without a pattern of places. */
const noise = (x: number, y: number): number =>
  ((Math.imul(x * 7919 + y * 104_729 + 1, 2_654_435_761) >>> 0) >> 7) % 256;

const BITMAPS: [string, Bitmap][] = [
  ['one pixel', bitmap(1, 1, () => true)],
  ['a column', bitmap(1, 300, (_, y) => noise(0, y) < 80)],
  ['a row', bitmap(300, 1, (x) => noise(x, 0) < 80)],
  ['white alone', bitmap(123, 77, () => false)],
  ['black alone', bitmap(123, 77, () => true)],
  ['noise', bitmap(331, 205, (x, y) => noise(x, y) < 128)],
  ['sparse dots', bitmap(517, 311, (x, y) => noise(x, y) === 0)],
  ['rows that repeat', bitmap(257, 260, (x, y) => (x + (y >> 4)) % 19 < 7)],
  ['ink up to each edge', bitmap(64, 64, (x, y) => x < 2 || y < 2 || x > 61 || y > 61)],
  ['a screen of dots', bitmap(255, 129, (x, y) => (x + y) % 2 === 0)],
];

function pageOf({ width, height, ...bits }: Bitmap): string {
  const shape = `/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 1`;
  const data = encodeJbig2({ width, height, ...bits });
  const path = scratch(`page-${width}-${height}.pdf`);
  writeFileSync(path, buildPdf(imagePage({ dict: `${shape}/Filter/JBIG2Decode`, data }, width, height)));
  return path;
}

describe('A picture of one bit in JBIG2', () => {
  it.each(BITMAPS)('has each pixel in PDFium, and in poppler: %s', async (_, given) => {
    const path = pageOf(given);
    const { data } = await samplesOf(path);
    expect(Buffer.from(data).equals(Buffer.from(given.data.map((black) => (black ? 0 : 255))))).toBe(true);
    const drawn = imageByPoppler(path);
    if (drawn) expect(await sharp(drawn).toColourspace('b-w').raw().toBuffer()).toEqual(Buffer.from(data));
  });
});

it('codes the test sequence of the standard as it says (ITU-T T.88 section H.2)', () => {
  const sequence = Buffer.from('00020051000000c00352872aaaaaaaaa82c02000fcd79ef6bf7fed904f46a3bf', 'hex');
  const coder = new ArithmeticCoder(1);
  for (const byte of sequence) for (let bit = 7; bit >= 0; bit -= 1) coder.encode(0, (byte >> bit) & 1);
  expect(coder.end().toString('hex')).toBe('84c73bfce1a1430402200000410dbb86f4317fff88ff37471adb6adfffac');
});

it('needs few bytes for a page of print', () => {
  const [, rows] = BITMAPS.find(([name]) => name === 'rows that repeat')!;
  expect(encodeJbig2(rows).length).toBeLessThan(250);
});
