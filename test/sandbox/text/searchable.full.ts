import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { join } from 'node:path';
import { createFairLimiter } from '@burnish/jail';
import { enhancePdf, type EnhancementParameters } from '@burnish/engine';
import { findJail } from '../../../src/sandbox/jail.ts';
import { findTextProgram } from '../../../src/sandbox/text/text-program.ts';
import { createTextReader } from '../../../src/sandbox/text/text-reader.ts';
import { buildPdf } from '../../../packages/pdf/test/build-pdf.ts';
import { boxedWords, qpdfComplaint, renderedAlike } from '../../../packages/engine/test/pdf/judges.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { describeUnless, lackOf } from '../../support/needs.ts';

/** Pixels of the scan, at 200 DPI. */
const [WIDTH, HEIGHT, DPI] = [1000, 800, 200];
const PER_POINT = DPI / 72;
/** Size of the letters, pixels */
const SIZE = 34;
/** How far a word may be from its ink, points. */
const MOST_OFF = 2;

const LINES = [
  'Ledger received seventeen',
  'gardens before Monday morning',
  'Quality justified beyond question',
  'Harbour lights remember',
  'twenty sailors walking home',
  'Kindly forward invoices',
  'under separate postage',
];
const placed = LINES.flatMap((line, row) =>
  line.split(' ').map((text, column) => ({ text, x: 70 + column * 225, y: 110 + row * 95 })),
);

const svg = (content: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="#fff"/><g font-size="${SIZE}" font-family="DejaVu Sans, Noto Sans, sans-serif">${content}</g></svg>`,
  );
const drawn = ({ text, x, y }: (typeof placed)[number]): string => `<text x="${x}" y="${y}">${text}</text>`;

let folder: TemporaryFolder;
let page: Buffer;
/** Edges of the ink of each word, points from the left upper corner of the page. */
let ink: { word: string; box: number[] }[];
beforeAll(async () => {
  folder = await temporaryFolder();
  page = await sharp(svg(placed.map(drawn).join('')))
    .flatten()
    .png()
    .toBuffer();
  ink = await Promise.all(
    placed.map(async (word) => {
      const { info } = await sharp(svg(drawn(word)))
        .flatten()
        .trim({ threshold: 60 })
        .toBuffer({ resolveWithObject: true });
      const [left, top] = [-info.trimOffsetLeft!, -info.trimOffsetTop!];
      const box = [left, top, left + info.width, top + info.height].map((value) => value / PER_POINT);
      return { word: word.text, box };
    }),
  );
});
afterAll(() => folder[Symbol.asyncDispose]());

async function searchable(name: string, picture: Sharp, parameters: EnhancementParameters, more = '') {
  const { data, info } = await picture.flatten().jpeg({ quality: 90 }).toBuffer({ resolveWithObject: true });
  const [width, height] = [info.width / PER_POINT, info.height / PER_POINT];
  const [inputPath, outputPath] = [join(folder.path, `${name}.pdf`), join(folder.path, `${name}.out.pdf`)];
  const bytes = buildPdf({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents 4 0 R/Resources<</XObject<</Im 5 0 R>>>>${more}>>`,
    4: { dict: '', data: `q ${width} 0 0 ${height} 0 0 cm /Im Do Q` },
    5: {
      dict: `/Type/XObject/Subtype/Image/Width ${info.width}/Height ${info.height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`,
      data,
    },
  });
  writeFileSync(inputPath, bytes);
  const jail = findJail();
  const reader = createTextReader({
    jail,
    limiter: createFairLimiter({ atOnce: 1 }),
    find: () => findTextProgram('tesseract', jail),
  });
  const { signal } = new AbortController();
  const made = await enhancePdf({
    inputPath,
    outputPath,
    parameters: { ...parameters, text: true },
    readWords: ({ languages, ...scan }) => reader.read(scan, { account: 'acc', languages, signal }),
  });
  expect(qpdfComplaint(outputPath)).toBe('');
  return { ...made, inputPath, outputPath };
}

const ONLY_TEXT: EnhancementParameters = { targetResolution: 72, customColorConfig: { auto: false } };

function expectOnInk(path: string): void {
  const found = boxedWords(path);
  if (found === undefined) return;
  // Tesseract may take the right end of a line for a column of its own.
  const boxes = new Map(found.map(({ word, box }) => [word, box]));
  expect([...boxes.keys()].sort()).toEqual(ink.map(({ word }) => word).sort());
  // A word begins and ends with its ink. Above and below, it has the room of the letters of its line.
  const off = ink.flatMap(({ word, box: [left, top, right, bottom] }) => {
    const [ownLeft, ownTop, ownRight, ownBottom] = boxes.get(word)! as [number, number, number, number];
    expect(ownBottom - ownTop).toBeLessThan((1.3 * SIZE) / PER_POINT);
    return [Math.abs(left! - ownLeft), Math.abs(right! - ownRight), ownTop - top!, bottom! - ownBottom];
  });
  expect(Math.max(...off)).toBeLessThan(MOST_OFF);
}

describeUnless(lackOf('tesseract'))('a searchable PDF', () => {
  test('has each word within two points of its ink, and looks as before', async () => {
    const { inputPath, outputPath } = await searchable('straight', sharp(page), ONLY_TEXT);
    expectOnInk(outputPath);
    expect(renderedAlike(inputPath, outputPath) ?? 100).toBeGreaterThan(80);
  });

  test('of a skewed page has each word on the ink of the cleaned page', async () => {
    const turned = await sharp(page).rotate(2, { background: '#fff' }).toBuffer({ resolveWithObject: true });
    const cut = { left: (turned.info.width - WIDTH) >> 1, top: (turned.info.height - HEIGHT) >> 1 };
    const picture = sharp(turned.data).extract({ ...cut, width: WIDTH, height: HEIGHT });
    const { outputPath, notes } = await searchable('skewed', picture, { mode: 'DOCUMENT' });
    expect(notes).toContainEqual({ code: 'PAGES_STRAIGHTENED', pages: 1 });
    expectOnInk(outputPath);
  });

  test.each([90, 180, 270])('of a page turned by %d degrees is upright, with each word on its ink', async (degrees) => {
    const { outputPath, notes } = await searchable(`lying-${degrees}`, sharp(page).rotate(degrees), {
      mode: 'DOCUMENT',
    });
    expect(notes).toContainEqual({ code: 'PAGES_TURNED', pages: { first: [1], count: 1 } });
    expectOnInk(outputPath);
  });

  test('of a page that its Rotate turns upright has each word on its ink', async () => {
    const { outputPath } = await searchable('rotated', sharp(page).rotate(180), ONLY_TEXT, '/Rotate 180');
    expectOnInk(outputPath);
  });
});
