import { readFileSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { MAX_PAGE_WORDS, soundWords, type PageWord, type ReadWords } from '../../src/pdf/text/page-words.ts';
import { drawnPage, PAGE_HEIGHT, PAGE_WIDTH } from '../support/drawn-page.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, type BuildOptions, type BuiltObject, type Objects } from '../../../pdf/test/build-pdf.ts';
import { boxedWords, qpdfComplaint, renderedAlike } from './judges.ts';
import { arithmeticJbig2 } from './jbig2-encoder.ts';
import { flateImage } from './pictures.ts';
import { enhancePdf, parametersOf } from './support.ts';

const scratch = await scratchFolder();
/** Points of the page: two pixels of the scan are one. */
const [WIDTH, HEIGHT] = [PAGE_WIDTH / 2, PAGE_HEIGHT / 2];

let scan: BuiltObject;
beforeAll(async () => {
  const { dict, data } = flateImage({ ...(await drawnPage()) } as never);
  scan = { dict: `/Type/XObject/Subtype/Image ${dict}`, data };
});

const DRAW = `q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /Im0 Do Q`;

function scanned({ draw = DRAW, page = '', objects = {}, options = {} }: Given = {}): Buffer {
  return buildPdf(
    {
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Contents 4 0 R/Resources<</XObject<</Im0 10 0 R/Fm0 6 0 R>>/Font<</ReadText 8 0 R>>>>${page}>>`,
      4: { dict: '', data: draw },
      8: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      10: scan,
      ...objects,
    },
    options,
  );
}

interface Given {
  draw?: string;
  page?: string;
  objects?: Objects;
  options?: BuildOptions;
}

/** On blank paper, where their boxes stay as they are. */
const WORDS: PageWord[] = [
  { text: 'first', left: 4, top: 50, width: 56, height: 20, continues: true },
  { text: 'second', left: 536, top: 50, width: 58, height: 20 },
  { text: 'below', left: 400, top: 400, width: 90, height: 30 },
];

const ONLY_TEXT = { text: true, targetResolution: 0, customColorConfig: { auto: false } } as never;

async function read(
  name: string,
  bytes: Buffer,
  words: readonly PageWord[] | undefined = WORDS,
  more: object = {},
  paidExcept: number[][] = [],
) {
  const [inputPath, outputPath] = [scratch(`${name}.pdf`), scratch(`${name}.out.pdf`)];
  writeFileSync(inputPath, bytes);
  const seen: Parameters<ReadWords>[0][] = [];
  const pictures: Buffer[] = [];
  const readWords: ReadWords = async (given) => {
    seen.push(given);
    pictures.push(readFileSync(given.path));
    return words;
  };
  const parameters = { ...parametersOf(ONLY_TEXT), ...more };
  const made = await enhancePdf({ inputPath, outputPath, parameters, readWords, paidExcept });
  return { ...made, inputPath, outputPath, seen, pictures };
}

/** Height of the box of a word whose letters reach from its baseline to its top: the font has room for letters below the baseline. */
const BOX = 9 / 7;

/** Boxes of words with ascenders in points of the visible page, from its top left corner. */
const expected = (
  map: (x: number, y: number) => [number, number] = (x, y) => [x / 2, y / 2],
  words: readonly PageWord[] = WORDS,
) =>
  words.map(({ text, left, top, width, height }) => {
    const [one, other] = [map(left, top), map(left + width, top + BOX * height)];
    return {
      word: text,
      box: [
        Math.min(one[0], other[0]),
        Math.min(one[1], other[1]),
        Math.max(one[0], other[0]),
        Math.max(one[1], other[1]),
      ],
    };
  });

function expectWords(path: string, wanted: ReturnType<typeof expected>, within = 0.5): void {
  const found = boxedWords(path);
  if (found === undefined) return;
  const sorted = (words: typeof wanted) => words.toSorted((a, b) => (a.word < b.word ? -1 : 1));
  expect(sorted(found).map(({ word }) => word)).toEqual(sorted(wanted).map(({ word }) => word));
  sorted(found).forEach(({ box }, k) => {
    box.forEach((value, side) => expect(Math.abs(value - sorted(wanted)[k]!.box[side]!)).toBeLessThan(within));
  });
}

describe('the text of a scan', () => {
  test('lies on its ink, invisible, and the page looks as before', async () => {
    const { inputPath, outputPath, notes, textPages, enhanced, work, seen } = await read('plain', scanned());
    expect([textPages, enhanced, notes]).toEqual([1, 0, [{ code: 'TEXT_ADDED', pages: 1, of: 1 }]]);
    expect(work).toEqual({ colorOnly: 0, resizeOnly: 0, both: 0 });
    expect(seen).toMatchObject([{ width: PAGE_WIDTH, height: PAGE_HEIGHT, resolution: 144, languages: 'eng' }]);
    expectWords(outputPath, expected());
    expect(renderedAlike(inputPath, outputPath) ?? 100).toBeGreaterThan(80);
    expect(qpdfComplaint(outputPath)).toBe('');
    const [before, after] = [readFileSync(inputPath), readFileSync(outputPath)];
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
  });

  test('is read from a scan of one bit in JBIG2, also by an order whose images are paid', async () => {
    const page = await drawnPage();
    const data = page.data.filter((_, at) => at % 3 === 0).map((light) => (light < 128 ? 0 : 255));
    const coded = arithmeticJbig2({ ...page, data, channels: 1, space: 'grey' });
    const size = `/Width ${PAGE_WIDTH}/Height ${PAGE_HEIGHT}/ColorSpace/DeviceGray/BitsPerComponent 1`;
    const bits = {
      dict: `/Type/XObject/Subtype/Image/Filter/JBIG2Decode${size}`,
      data: Buffer.concat([coded.page, coded.region]),
    };
    const made = await read('one-bit', scanned({ objects: { 10: bits } }), WORDS, {}, [[]]);
    expect([made.textPages, made.work]).toEqual([1, { colorOnly: 0, resizeOnly: 0, both: 0 }]);
    expectWords(made.outputPath, expected());
    const { data: seen } = await sharp(made.pictures[0]).greyscale().raw().toBuffer({ resolveWithObject: true });
    expect(seen.every((light, at) => light < 128 === (data[at] === 0))).toBe(true);
  });

  test.each([
    [90, (x: number, y: number): [number, number] => [HEIGHT - y / 2, x / 2], [PAGE_HEIGHT, PAGE_WIDTH]],
    [180, (x: number, y: number): [number, number] => [WIDTH - x / 2, HEIGHT - y / 2], [PAGE_WIDTH, PAGE_HEIGHT]],
    [270, (x: number, y: number): [number, number] => [y / 2, WIDTH - x / 2], [PAGE_HEIGHT, PAGE_WIDTH]],
  ])('is read upright on a page with Rotate %d', async (degrees, map, [width, height]) => {
    // The reader sees the upright picture, so that its words are given in its pixels.
    const upright: PageWord[] = [{ text: 'word', left: 60, top: 30, width: 80, height: 24 }];
    const made = await read(`turned-${degrees}`, scanned({ page: `/Rotate ${degrees}` }), upright);
    expect(made.seen).toMatchObject([{ width, height }]);
    expectWords(made.outputPath, expected(undefined, upright));
    // The first letters of the scan are where the page shows them.
    const { data, info } = await sharp(made.pictures[0]).raw().toBuffer({ resolveWithObject: true });
    const [x, y] = map(81, 55).map((value) => Math.floor(value * 2)) as [number, number];
    expect(data[(y * info.width + x) * info.channels]!).toBeLessThan(140);
  });

  test('is read unmirrored where the page mirrors its scan', async () => {
    const upright: PageWord[] = [{ text: 'word', left: 10, top: 60, width: 56, height: 24 }];
    const draw = `q -${WIDTH} 0 0 ${HEIGHT} ${WIDTH} 0 cm /Im0 Do Q`;
    const made = await read('mirrored', scanned({ draw }), upright);
    expectWords(made.outputPath, expected(undefined, upright));
    const { data, info } = await sharp(made.pictures[0]).raw().toBuffer({ resolveWithObject: true });
    expect(data[(55 * info.width + (PAGE_WIDTH - 81)) * info.channels]!).toBeLessThan(140);
  });

  test.each<[string, Given]>([
    // Poppler places words on the whole page, also outside of the visible part.
    ['a crop box', { page: `/CropBox[40 30 ${WIDTH} ${HEIGHT - 20}]` }],
    ['states that stay open', { draw: `q q 1 0 0 1 0 0 cm ${DRAW}` }],
    ['a scale at the start', { draw: `.5 0 0 .5 0 0 cm q ${2 * WIDTH} 0 0 ${2 * HEIGHT} 0 0 cm /Im0 Do Q` }],
    ['a unit of two points', { page: '/UserUnit 2' }],
    ['cross-reference streams', { options: { xref: 'stream' } }],
  ])('lies on its ink with %s', async (name, given) => {
    const { outputPath, textPages } = await read(name.replace(/\W/g, '-'), scanned(given));
    expect(textPages).toBe(1);
    expectWords(outputPath, expected());
    expect(qpdfComplaint(outputPath)).toBe('');
  });

  test('ends at its ink, where the reader gives boxes that reach the lines above and below', async () => {
    // Bars of the first line in columns 1 to 5, the tallest from row 44 to row 60.
    const tall: PageWord[] = [{ text: 'word', left: 77, top: 30, width: 50, height: 56 }];
    const { outputPath } = await read('tall', scanned(), tall);
    expectWords(outputPath, expected(undefined, [{ text: 'word', left: 80, top: 44, width: 44, height: 16 }]), 1.1);
  });

  test('is in a file that is written anew, too', async () => {
    const { outputPath } = await read('compact', scanned(), WORDS, { compact: true });
    expectWords(outputPath, expected());
    expect(qpdfComplaint(outputPath)).toBe('');
  });

  test('lies on the cleaned picture of a page, whose samples the reader gets', async () => {
    const paper = await drawnPage('', '#303030', '#e8e0c8');
    const { dict, data } = flateImage(paper as never);
    const bytes = scanned({ objects: { 10: { dict: `/Type/XObject/Subtype/Image ${dict}`, data } } });
    const parameters = parametersOf({ mode: 'DOCUMENT', text: true });
    const made = await read('cleaned', bytes, WORDS, parameters);
    expect(made).toMatchObject({ enhanced: 1, textPages: 1 });
    expectWords(made.outputPath, expected());
    const { data: samples } = await sharp(made.pictures[0]).raw().toBuffer({ resolveWithObject: true });
    expect(samples[0]).toBeGreaterThan(250);
  });
});

describe('a page keeps its own text', () => {
  const FORM = {
    dict: '/Type/XObject/Subtype/Form/BBox[0 0 100 100]/Resources<</Font<</F 8 0 R>>>>',
    data: 'BT /F 9 Tf (a) Tj ET',
  };
  test.each([
    ['visible', { draw: `${DRAW} BT /ReadText 9 Tf 10 10 Td (own) Tj ET` }],
    ['invisible', { draw: `${DRAW} BT 3 Tr /ReadText 9 Tf 10 10 Td [(ow)-20(n)] TJ ET` }],
    ['in a form', { draw: `${DRAW} /Fm0 Do`, objects: { 6: FORM } }],
  ])('%s', async (name, given) => {
    const { inputPath, outputPath, notes, seen } = await read(`own-${name}`.replace(/\W/g, '-'), scanned(given));
    expect(seen).toEqual([]);
    expect(notes).toContainEqual({ code: 'TEXT_NOT_ADDED', pages: { first: [1], count: 1 }, because: 'own-text' });
    expect(readFileSync(outputPath).equals(readFileSync(inputPath))).toBe(true);
  });
});

describe('words that a page cannot have', () => {
  test('are left out, and their text is made sound', async () => {
    const at = { left: 120, top: 50, width: 200, height: 20 };
    const words: PageWord[] = [
      { ...at, text: 'a\u0000b\u001b(\\)<c>\ud800d' },
      { ...at, top: 200, text: '𝒜🙂é' },
      { ...at, top: 300, text: 'empty', width: 0 },
      { ...at, top: 320, text: 'flat', height: 0 },
      { ...at, top: 340, text: ' \u0007 ' },
      { ...at, top: 5_000, text: 'outside' },
      { ...at, top: 400, text: 'nowhere', left: NaN },
    ];
    const { outputPath } = await read('hostile', scanned(), words);
    expect(qpdfComplaint(outputPath)).toBe('');
    const found = boxedWords(outputPath);
    if (found) expect(found.map(({ word }) => word)).toEqual(['ab(\\)&lt;c&gt;d', '𝒜🙂é']);
  });

  test('beyond the most that a page has are left out', () => {
    const word: PageWord = { text: 'word', left: 1, top: 1, width: 9, height: 9 };
    const words = Array.from({ length: MAX_PAGE_WORDS + 1 }, () => word);
    expect(soundWords({ width: 100, height: 100, words })).toHaveLength(MAX_PAGE_WORDS);
  });

  test('give no layer, and a page that could not be read is noted', async () => {
    const none = await read('no-words', scanned(), []);
    expect(readFileSync(none.outputPath).equals(readFileSync(none.inputPath))).toBe(true);
    expect(none.notes).toContainEqual({ code: 'TEXT_ADDED', pages: 0, of: 1 });
  });
});

test('a page beyond the limits of the reader stays without text, with a note', async () => {
  const [inputPath, outputPath] = [scratch('limit.pdf'), scratch('limit.out.pdf')];
  writeFileSync(inputPath, scanned());
  const readWords = async () => undefined;
  const { notes } = await enhancePdf({ inputPath, outputPath, parameters: parametersOf(ONLY_TEXT), readWords });
  expect(notes).toContainEqual({ code: 'TEXT_NOT_ADDED', pages: { first: [1], count: 1 }, because: 'limit' });
});

test('a page that stays as it is, or has two pictures, is not read', async () => {
  const kept = await read('kept', scanned(), WORDS, { pages: { 1: 'ORIGINAL' } });
  const twice = await read('twice', scanned({ draw: `${DRAW} ${DRAW}` }));
  expect([kept.seen, twice.seen]).toEqual([[], []]);
  expect(twice.notes).toContainEqual({ code: 'TEXT_NOT_ADDED', pages: { first: [1], count: 1 }, because: 'no-scan' });
});

test('text needs a function that reads it', async () => {
  const [inputPath, outputPath] = [scratch('nobody.pdf'), scratch('nobody.out.pdf')];
  writeFileSync(inputPath, scanned());
  await expect(enhancePdf({ inputPath, outputPath, parameters: parametersOf(ONLY_TEXT) })).rejects.toThrow('readWords');
});
