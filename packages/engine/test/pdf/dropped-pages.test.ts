import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { isDict, openPdfDocument, walkPages } from '@burnish/pdf';
import { buildPdf, type BuiltObject, type Objects } from '../../../pdf/test/build-pdf.ts';
import { scratchFolder } from '../support/files.ts';
import { nextGaussian, randomNumbers } from '../support/photograph.ts';
import { qpdfComplaint } from './judges.ts';
import { analyzeBytes, enhanceBytes, parametersOf } from './support.ts';

const scratch = await scratchFolder();
const [WIDTH, HEIGHT] = [850, 1100];

const PAPER = [236, 232, 220] as const;
const random = randomNumbers(7);
const NOISE = Float32Array.from({ length: WIDTH * HEIGHT }, () => 3 * nextGaussian(random));

/** A scan of uneven, noisy paper at 100 DPI, with what is drawn in SVG on it. */
async function scan(
  drawn = '',
  paper: readonly [number, number, number] = PAPER,
  isGrey = false,
): Promise<BuiltObject> {
  const data = Buffer.alloc(WIDTH * HEIGHT * 3);
  for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
    const light = 1 - (0.08 * (at % WIDTH)) / WIDTH;
    for (let c = 0; c < 3; c += 1) data[3 * at + c] = Math.max(0, Math.min(255, light * paper[c]! + NOISE[at]!));
  }
  const over = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${drawn}</svg>`,
  );
  const jpeg = await sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .composite([{ input: over }])
    .toColourspace(isGrey ? 'b-w' : 'srgb')
    .jpeg({ quality: 80 })
    .toBuffer();
  const dict = `/Type/XObject/Subtype/Image/Width ${WIDTH}/Height ${HEIGHT}/ColorSpace/${isGrey ? 'DeviceGray' : 'DeviceRGB'}/BitsPerComponent 8/Filter/DCTDecode`;
  return { dict, data: jpeg };
}

/** Lines of a dense page of print. */
const PRINT = Array.from({ length: 1800 }, (_, k) => {
  const [x, y] = [80 + (k % 60) * 11, 80 + Math.floor(k / 60) * 30];
  return `<rect x="${x}" y="${y}" width="6" height="12" fill="#222"/>`;
}).join('');

/** Two pages beside others: a dense one, and one of bare paper. */
const BESIDE = { 10: await scan(PRINT), 11: await scan() };

const page = (image: number | undefined, more = '', contents = 30) =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${contents} 0 R/Resources<<${image === undefined ? '' : `/XObject<</Im ${image} 0 R>>`}/Font<</F 39 0 R>>>>${more}>>`;

const FULL = { dict: '', data: 'q 612 0 0 792 0 0 cm /Im Do Q' };

function document(pages: readonly string[], objects: Objects, catalog = ''): Buffer {
  const kids = pages.map((_, k) => `${40 + k} 0 R`).join(' ');
  return buildPdf({
    1: `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    2: `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`,
    30: FULL,
    31: { dict: '', data: 'q Q' },
    32: { dict: '', data: 'BT /F 9 Tf 50 50 Td (x) Tj ET' },
    33: { dict: '', data: `${FULL.data} BT 3 Tr /F 9 Tf 50 50 Td (x) Tj ET` },
    39: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...Object.fromEntries(pages.map((each, k) => [40 + k, each])),
    ...objects,
  });
}

describe('blank pages', () => {
  test('are found: those without content, and scans of paper with dust alone', async () => {
    const dust = '<circle cx="300" cy="500" r="1" fill="#555"/>';
    const pages = [page(10), page(undefined, '', 31), page(11), page(12), page(13), page(undefined, '', 32)];
    const bytes = document(
      [
        ...pages,
        page(11, '', 33),
        page(11, '/Annots[<</Type/Annot/Subtype/Text/Rect[9 9 19 19]>>]'),
        page(14),
        page(15),
        page(16),
      ],
      {
        ...BESIDE,
        11: await scan(dust),
        // A page number, a pale note by pencil, a sheet of colour, and a picture of dusk
        12: await scan('<rect x="420" y="1040" width="7" height="12" fill="#333"/>'),
        13: await scan('<path d="M200 400 l60 4 l-50 30" stroke="#b8b8b8" stroke-width="3" fill="none"/>'),
        14: await scan('', [240, 120, 90]),
        16: await scan('', PAPER, true),
        15: await scan(`<rect width="${WIDTH}" height="500" fill="#777"/>`),
      },
    );
    const { analysis, facts } = await analyzeBytes(bytes, scratch('blank'));
    expect(facts.blank).toEqual([2, 3, 11]);
    expect(analysis.statistics.blankPages).toEqual([2, 3, 11]);
  });

  test.each([
    [
      'a faint note by pencil',
      '<path d="M200 400 l90 8 l-70 40 l60 30" stroke="#d4cfc4" stroke-width="2.5" fill="none"/>',
    ],
    ['a pale stamp', '<circle cx="600" cy="200" r="40" stroke="#c4cef0" stroke-width="6" fill="none"/>'],
    ['a stroke of a marker', '<rect x="200" y="600" width="160" height="14" fill="#f4f090"/>'],
    ['the number of the page', '<rect x="420" y="1040" width="4" height="9" fill="#555"/>'],
    ['a row of dots', '<path d="M100 500 h300" stroke="#444" stroke-width="2" stroke-dasharray="2 4"/>'],
  ])('are none with %s', async (_what, drawn) => {
    const bytes = document([page(10), page(11), page(12)], {
      ...BESIDE,
      12: await scan(drawn),
    });
    expect((await analyzeBytes(bytes, scratch(randomUUID()))).facts.blank).toEqual([2]);
  });

  test('are none in a file without any', async () => {
    const { analysis, facts } = await analyzeBytes(document([page(undefined, '', 32)], {}), scratch('none'));
    expect(facts).not.toHaveProperty('blank');
    expect(analysis.statistics).not.toHaveProperty('blankPages');
  });
});

describe('pages that an order drops', () => {
  const KEEP = { customColorConfig: { auto: false }, targetResolution: 72 };
  const link = (to: number) => `/Annots[<</Type/Annot/Subtype/Link/Rect[9 9 19 19]/Dest[${to} 0 R/XYZ 1 2 0]>>]`;
  const five = (more: { last?: string; catalog?: string; objects?: Objects } = {}): Buffer =>
    document(
      [
        page(undefined, link(41), 32),
        page(undefined, '', 31),
        page(10),
        page(undefined, link(42), 32),
        more.last ?? page(undefined, '', 31),
      ],
      {
        10: {
          dict: '/Type/XObject/Subtype/Image/Width 20/Height 20/ColorSpace/DeviceGray/BitsPerComponent 8',
          data: Buffer.alloc(400, 200),
        },
        ...more.objects,
      },
      more.catalog,
    );
  const pagesOf = (path: string): number[] => {
    const pdf = openPdfDocument(path);
    try {
      return [...walkPages(pdf)].map(({ number }) => number);
    } finally {
      pdf.close();
    }
  };
  const text = (path: string, number: number): string => {
    const pdf = openPdfDocument(path);
    try {
      const value = pdf.get(number);
      return JSON.stringify(isDict(value) ? [...value] : value, (_, each) => (each instanceof Map ? [...each] : each));
    } finally {
      pdf.close();
    }
  };

  test.each([false, true])(
    'are gone, with links to the next page and labels that stay; compact: %s',
    async (compact) => {
      const catalog = '/PageLabels<</Nums[0<</S/D>>3<</S/r>>]>>/ViewerPreferences<</PrintPageRange[1 4]>>';
      const parameters = parametersOf({ ...KEEP, compact, pages: { 2: 'DROP', 3: 'DROP' } });
      const made = await enhanceBytes(five({ catalog }), scratch(`dropped-${compact}`), parameters);
      expect(made).toMatchObject({
        pages: 5,
        dropped: [2, 3],
        enhanced: 0,
        work: { colorOnly: 0, resizeOnly: 0, both: 0 },
      });
      expect(made.notes).toEqual([{ code: 'PAGES_DROPPED', pages: { first: [2, 3], count: 2 }, of: 5 }]);
      expect(pagesOf(made.outputPath)).toEqual([40, 43, 44]);
      expect(qpdfComplaint(made.outputPath)).toBe('');
      const target = (number: number) =>
        /"Dest",\[\{"kind":"ref","number":(\d+)/u.exec(text(made.outputPath, number))?.[1];
      expect([target(40), target(43)]).toEqual(['43', '43']);
      // 1 i ii
      const now = text(made.outputPath, 1);
      expect(now).toContain('"PrintPageRange",[1,2]');
      expect(now.match(/"Nums",\[0,.*?,1,/u)).not.toBeNull();
      const file = readFileSync(made.outputPath);
      const original = readFileSync(made.inputPath);
      // Appended changes leave the original whole before them, and a new file lacks the page.
      expect(file.subarray(0, original.length).equals(original)).toBe(!compact);
      expect(text(made.outputPath, 42) === 'null').toBe(compact);
    },
  );

  test('leave nodes of the page tree without empty ones', async () => {
    const nested = document([], {
      2: '<</Type/Pages/Kids[50 0 R 51 0 R]/Count 3>>',
      50: '<</Type/Pages/Parent 2 0 R/Kids[52 0 R]/Count 1>>',
      51: '<</Type/Pages/Parent 2 0 R/Kids[53 0 R 54 0 R]/Count 2>>',
      52: page(undefined, '', 31).replace('/Parent 2', '/Parent 50'),
      53: page(undefined, '', 32).replace('/Parent 2', '/Parent 51'),
      54: page(undefined, '', 31).replace('/Parent 2', '/Parent 51'),
    });
    const parameters = parametersOf({ ...KEEP, pages: { 1: 'DROP', 3: 'DROP' } });
    const made = await enhanceBytes(nested, scratch('nested'), parameters);
    expect(pagesOf(made.outputPath)).toEqual([53]);
    expect(text(made.outputPath, 2)).toContain('"Count",1');
    expect(text(made.outputPath, 2)).not.toContain('"number":50');
    expect(qpdfComplaint(made.outputPath)).toBe('');
  });

  test('stay with a note where they have fields, or where the document shows them twice', async () => {
    const field = '<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/Rect[9 9 19 19]>>';
    const catalog = '/AcroForm<</Fields[20 0 R]>>';
    const last = page(undefined, '/Annots[20 0 R]', 31);
    const twice = { 2: '<</Type/Pages/Kids[40 0 R 41 0 R 41 0 R 43 0 R 44 0 R]/Count 5>>', 20: field };
    const parameters = parametersOf({ ...KEEP, pages: { 2: 'DROP', 4: 'DROP' } });
    const made = await enhanceBytes(five({ last, catalog, objects: twice }), scratch('stay'), parameters);
    expect(made.dropped).toEqual([]);
    expect(made.notes).toEqual(
      expect.arrayContaining([
        { code: 'PAGES_NOT_DROPPED', pages: { first: [2], count: 1 }, because: 'shared' },
        { code: 'PAGES_NOT_DROPPED', pages: { first: [4], count: 1 }, because: 'fields' },
      ]),
    );
    expect(readFileSync(made.outputPath).equals(readFileSync(made.inputPath))).toBe(true);
  });

  test('are named where a signature forbids it', async () => {
    const signature = '/AcroForm<</SigFlags 3/Fields[20 0 R]>>';
    const objects = { 20: '<</FT/Sig/T(s)/V<</Type/Sig/Filter/Adobe.PPKLite/ByteRange[0 1 2 3]/Contents<00>>>>>' };
    const bytes = five({ catalog: signature, objects });
    const parameters = parametersOf({ ...KEEP, pages: { 2: 'DROP' } });
    await expect(enhanceBytes(bytes, scratch('signed'), parameters)).rejects.toMatchObject({ code: 'SIGNED_PDF' });
  });
});
