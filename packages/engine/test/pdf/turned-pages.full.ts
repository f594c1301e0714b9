import { beforeAll, describe, expect, test } from '@jest/globals';
import { describePdfImages } from '../../src/pdf/analyze/describe-images.ts';
import { isDict, openPdfDocument, type PdfDict, type PdfValue } from '@burnish/pdf';
import type { Picture } from '../../src/image/picture.ts';
import { drawnPage, PAGE_HEIGHT, PAGE_WIDTH } from '../support/drawn-page.ts';
import { asSharp, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { buildPdf, type BuildOptions, type BuiltObject, type Objects } from '../../../pdf/test/build-pdf.ts';
import { placedWords, qpdfComplaint, rendered, type Rendered } from './judges.ts';
import { flateImage } from './pictures.ts';
import { enhanceBytes, parametersOf, samplesOf, type Enhanced } from './support.ts';

const scratch = await scratchFolder();
/** Pixels of the drawing for a point of the page: it has 500 × 400 points. */
const PER_POINT = PAGE_WIDTH / 500;
/** Red dots of the drawing, pixels: two in one line, one below the text. */
const DOTS = [
  [36, 60],
  [564, 60],
  [36, 432],
] as const;
const WORDS = ['left', 'right', 'below'];
const SKEW = 6;
/** Pixels of the scan: 72 DPI, so that its cleaning is quick. */
const [SCAN_WIDTH, SCAN_HEIGHT] = [500, 400];

/** Where a point of the drawing lies on the skewed scan, points from the lower left corner of the page. */
function onPage([x, y]: readonly [number, number]): [number, number] {
  const [sin, cos] = [Math.sin((SKEW * Math.PI) / 180), Math.cos((SKEW * Math.PI) / 180)];
  const [dx, dy] = [x - PAGE_WIDTH / 2, y - PAGE_HEIGHT / 2];
  return [
    (PAGE_WIDTH / 2 + dx * cos - dy * sin) / PER_POINT,
    400 - (PAGE_HEIGHT / 2 + dx * sin + dy * cos) / PER_POINT,
  ];
}
const PLACES = DOTS.map(onPage);
/** The note on a page that keeps its direction since something else on it could not turn. */
const staysSkewed = (...pages: number[]): object => ({
  code: 'PAGES_SKEWED',
  pages: { first: pages, count: pages.length },
  because: 'content',
});
const around = ([x, y]: readonly number[], reach: number): string =>
  `[${[x! - reach, y! - reach, x! + reach, y! + reach].map((value) => value.toFixed(3)).join(' ')}]`;

let scan: Picture;
beforeAll(async () => {
  const dots = DOTS.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="7.2" fill="#d01020"/>`).join('');
  const drawing = await drawnPage(dots, '#181818', '#f4f0e4');
  const turned = asSharp(drawing).rotate(SKEW, { background: '#f4f0e4' });
  const { info } = await turned.clone().raw().toBuffer({ resolveWithObject: true });
  const cut = { left: (info.width - PAGE_WIDTH) >> 1, top: (info.height - PAGE_HEIGHT) >> 1 };
  scan = await readRgb(
    await turned
      .extract({ ...cut, width: PAGE_WIDTH, height: PAGE_HEIGHT })
      .resize(SCAN_WIDTH, SCAN_HEIGHT)
      .png()
      .toBuffer(),
  );
});

const image = (picture: Picture): BuiltObject => {
  const { dict, data } = flateImage({ ...picture, data: Buffer.from(picture.data) });
  return { dict: `/Type/XObject/Subtype/Image ${dict}`, data };
};

/** Text of 4 points, each word centred on its dot and turned as the lines of the scan are. */
function textLayer(): string {
  const [sin, cos] = [Math.sin((-SKEW * Math.PI) / 180), Math.cos((SKEW * Math.PI) / 180)];
  return PLACES.map(([x, y], k) => {
    const width = [5.8, 7.3, 10][k]!;
    const at = [x - (width / 2) * cos + 1.4 * sin, y - (width / 2) * sin - 1.4 * cos];
    return `BT 3 Tr /F1 4 Tf ${[cos, sin, -sin, cos, ...at].map((value) => value.toFixed(4)).join(' ')} Tm (${WORDS[k]!}) Tj ET`;
  }).join('\n');
}

/** A green square on the second dot, drawn by the page itself. */
const SQUARE = (): string =>
  `q 0 0.7 0 rg ${(PLACES[1]![0] - 3).toFixed(3)} ${(PLACES[1]![1] - 3).toFixed(3)} 6 6 re f Q`;
const DRAW = 'q 500 0 0 400 0 0 cm /Im0 Do Q';

interface Given {
  draw?: string;
  page?: string;
  annotations?: string;
  objects?: Objects;
  options?: BuildOptions;
}

function scanned({ draw = DRAW, page = '', annotations = '', objects = {}, options = {} }: Given = {}): Buffer {
  return buildPdf(
    {
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 400]/Contents 4 0 R/Annots[${annotations}]/Resources<</XObject<</Im0 10 0 R/Fm0 6 0 R>>/Font<</F1 8 0 R>>>>${page}>>`,
      4: { dict: '', data: `${draw}\n${SQUARE()}\n${textLayer()}` },
      8: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      10: image(scan),
      ...objects,
    },
    options,
  );
}

const clean = (name: string, given: Given, more = {}): Promise<Enhanced> =>
  enhanceBytes(scanned(given), scratch(name), parametersOf({ mode: 'DOCUMENT', ...more }));

type Colour = readonly [red: number, green: number, blue: number];
const RED = ([r, g, b]: Colour): boolean => r > 150 && g < 110 && b < 110;
const GREEN = ([r, g, b]: Colour): boolean => g > 120 && r < 100 && b < 100;

/** Centre of the pixels of a colour near a point of a page, points from its left upper corner. */
function centreOf({ at }: Rendered, is: (colour: Colour) => boolean, [x, y]: readonly [number, number], reach = 12) {
  let [sumX, sumY, count] = [0, 0, 0];
  for (let v = y - reach; v <= y + reach; v += 0.5) {
    for (let u = x - reach; u <= x + reach; u += 0.5) {
      if (is(at(u, v))) [sumX, sumY, count] = [sumX + u + 0.25, sumY + v + 0.25, count + 1];
    }
  }
  expect(count).toBeGreaterThan(40);
  return { x: sumX / count, y: sumY / count };
}

/** Place of a dot on a straight page, points from its left upper corner. */
const straight = (dot: number): [number, number] => [DOTS[dot]![0] / PER_POINT, DOTS[dot]![1] / PER_POINT];

/** The dictionary of an object of a file. */
function read(path: string, number: number): PdfDict {
  const pdf = openPdfDocument(path);
  try {
    const value = pdf.get(number);
    if (!isDict(value)) throw new Error(`Object ${number} is no dictionary.`);
    return value;
  } finally {
    pdf.close();
  }
}

const numbersOf = (value: PdfValue | undefined): number[] => value as number[];

/** Distance of a place of a turned page, from its lower left corner, to the dot of the drawing that it marked, points. */
const distance = ([x, y]: readonly number[], dot: number): number =>
  Math.hypot(x! - DOTS[dot]![0] / PER_POINT, y! - (400 - DOTS[dot]![1] / PER_POINT));

/** Expects the dots of the result where the straight drawing has them. @returns the page as poppler draws it */
function expectStraight({ outputPath, notes }: Enhanced): Rendered | undefined {
  expect(notes).toEqual([{ code: 'PAGES_STRAIGHTENED', pages: 1 }]);
  expect(qpdfComplaint(outputPath)).toBe('');
  const page = rendered(outputPath, 144);
  for (const dot of page === undefined ? [] : DOTS.keys()) {
    const { x, y } = centreOf(page!, RED, straight(dot));
    expect(distance([x, 400 - y], dot)).toBeLessThan(0.7);
  }
  return page;
}

describe('a skewed page of a PDF', () => {
  test.each<[string, Given, object]>([
    ['with a table of cross-references', {}, {}],
    ['with its objects in streams', { options: { xref: 'objects' } }, {}],
    ['as an update of a file with object streams', { options: { xref: 'objects' } }, { compact: false }],
    ['with a state that its content leaves open', { draw: `q ${DRAW}` }, {}],
  ])('is turned, and its text and drawings stay on the ink, %s', async (name, given, more) => {
    const result = await clean(name.replaceAll(' ', '-'), given, more);
    const page = expectStraight(result);
    const [before, after] = [placedWords(result.inputPath), placedWords(result.outputPath)];
    if (page === undefined || before === undefined || after === undefined) return;
    for (const [k, word] of WORDS.entries()) {
      const was = before.find((each) => each.word === word)!;
      expect(Math.hypot(was.x - PLACES[k]![0], was.y - (400 - PLACES[k]![1]))).toBeLessThan(1);
      const is = after.find((each) => each.word === word)!;
      expect(Math.hypot(is.x - was.x, is.y - was.y)).toBeGreaterThan(5);
      expect(distance([is.x, 400 - is.y], k)).toBeLessThan(1);
    }
    const square = centreOf(page, GREEN, straight(1));
    expect(distance([square.x, 400 - square.y], 1)).toBeLessThan(0.7);
  });

  test('is turned without the dark surround of its paper, and a note names the page', async () => {
    const bars = `<svg xmlns="http://www.w3.org/2000/svg" width="${SCAN_WIDTH}" height="${SCAN_HEIGHT}"><path d="M0 0H500V12L0 9ZM0 400H9L6 0H0Z" fill="#1b1a1d"/></svg>`;
    const dark = await readRgb(
      await asSharp(scan)
        .composite([{ input: Buffer.from(bars) }])
        .removeAlpha()
        .png()
        .toBuffer(),
    );
    const { notes, outputPath } = await clean('surround', { objects: { 10: image(dark) } });
    expect(notes).toEqual([
      { code: 'PAGES_STRAIGHTENED', pages: 1 },
      { code: 'SURROUNDS_WHITENED', pages: { first: [1], count: 1 } },
    ]);
    const { data } = await samplesOf(outputPath);
    const row = (y: number): number[] => Array.from({ length: SCAN_WIDTH }, (_, x) => data[3 * (y * SCAN_WIDTH + x)]!);
    expect(Math.min(...row(3), ...row(6))).toBeGreaterThan(250);
  });

  test('moves links, marks, fields and destinations with the ink', async () => {
    const quad = ([x, y]: readonly number[]): string =>
      [x! - 6, y! + 6, x! + 6, y! + 6, x! - 6, y! - 6, x! + 6, y! - 6].map((value) => value.toFixed(3)).join(' ');
    const [left, right, below] = [PLACES[0]!, PLACES[1]!, PLACES[2]!];
    const result = await clean('marks', {
      annotations: `20 0 R 21 0 R 22 0 R <</Type/Annot/Subtype/Text/F 2/Rect${around(left, 5)}/Contents(note)>>`,
      objects: {
        1: '<</Type/Catalog/Pages 2 0 R/Names<</Dests<</Names[(there) 30 0 R]>>>>/OpenAction[3 0 R/Fit]>>',
        20: `<</Type/Annot/Subtype/Link/Rect${around(below, 8)}/QuadPoints[${quad(below)}]/Dest[3 0 R/XYZ ${right.map((v) => v.toFixed(3)).join(' ')} null]>>`,
        21: `<</Type/Annot/Subtype/Widget/FT/Tx/T(field)/Rect${around(right, 10)}>>`,
        22: `<</Type/Annot/Subtype/Square/Rect${around(below, 10)}/AP<</N 23 0 R>>>>`,
        23: { dict: '/Type/XObject/Subtype/Form/BBox[0 0 40 40]', data: '0 0.7 0 rg 14 14 12 12 re f' },
        30: `<</D[3 0 R/FitR ${around(left, 10).slice(1, -1)}]>>`,
      },
    });
    const page = expectStraight(result);
    const [link, field, square, named] = [20, 21, 22, 30].map((number) => read(result.outputPath, number));
    const centre = (points: readonly number[]): number[] =>
      [0, 1].map((c) => {
        const own = points.filter((_, k) => k % 2 === c);
        return own.reduce((sum, value) => sum + value, 0) / own.length;
      });
    expect(distance(centre(numbersOf(link!.get('QuadPoints'))), 2)).toBeLessThan(0.5);
    const [x0, y0, x1, y1] = numbersOf(link!.get('Rect'));
    for (const [k, value] of numbersOf(link!.get('QuadPoints')).entries())
      expect(k % 2 === 0 ? value >= x0! && value <= x1! : value >= y0! && value <= y1!).toBe(true);
    const [quadX, quadY] = numbersOf(link!.get('QuadPoints'));
    expect(
      Math.hypot(quadX! - centre([x0!, y0!, x1!, y1!])[0]!, quadY! - centre([x0!, y0!, x1!, y1!])[1]!),
    ).toBeCloseTo(6 * Math.SQRT2, 1);
    const place = link!.get('Dest') as PdfValue[];
    expect(distance(place.slice(2, 4) as number[], 1)).toBeLessThan(0.5);
    expect(place[4]).toBeNull();
    const rect = numbersOf(field!.get('Rect'));
    expect(distance(centre(rect), 1)).toBeLessThan(0.5);
    expect([rect[2]! - rect[0]!, rect[3]! - rect[1]!].map((side) => side.toFixed(2))).toEqual(['20.00', '20.00']);
    expect(distance(centre(numbersOf(square!.get('Rect'))), 2)).toBeLessThan(0.5);
    expect(distance(centre((named!.get('D') as number[]).slice(2)), 0)).toBeLessThan(0.5);
    const note = (read(result.outputPath, 3).get('Annots') as PdfValue[])[3] as PdfDict;
    expect(distance(centre(numbersOf(note.get('Rect'))), 0)).toBeLessThan(0.5);
    if (page === undefined) return;
    const drawn = centreOf(page, GREEN, straight(2));
    expect(distance([drawn.x, 400 - drawn.y], 2)).toBeLessThan(0.7);
  });

  test('is turned as one picture of strips, on a page that readers show upside down', async () => {
    const half = SCAN_HEIGHT / 2;
    const strips = await Promise.all(
      [0, half].map(async (top) => {
        const cut = asSharp(scan).extract({ left: 0, top, width: SCAN_WIDTH, height: half });
        return image(await readRgb(await cut.png().toBuffer()));
      }),
    );
    const result = await clean('strips', {
      draw: 'q 500 0 0 200 0 200 cm /Im0 Do Q q 500 0 0 200 0 0 cm /Fm0 Do Q',
      page: '/Rotate 180',
      objects: { 10: strips[0]!, 6: strips[1]! },
    });
    expect(result.notes).toEqual([{ code: 'PAGES_STRAIGHTENED', pages: 1 }]);
    const words = placedWords(result.outputPath);
    if (words === undefined) return;
    for (const [k, name] of WORDS.entries()) {
      const { x, y } = words.find(({ word }) => word === name)!;
      expect(distance([500 - x, y], k)).toBeLessThan(1.2);
    }
    const page = rendered(result.outputPath, 144)!;
    for (const [dot, [x, y]] of DOTS.map((_, k) => straight(k)).entries()) {
      const ink = centreOf(page, RED, [500 - x, 400 - y]);
      expect(distance([500 - ink.x, ink.y], dot)).toBeLessThan(0.7);
    }
  });

  test.each<[string, Given]>([
    [
      'that a form draws',
      {
        draw: '/Fm0 Do',
        objects: {
          6: { dict: '/Type/XObject/Subtype/Form/BBox[0 0 500 400]/Resources<</XObject<</Im0 10 0 R>>>>', data: DRAW },
        },
      },
    ],
    ['that is drawn twice', { draw: `${DRAW} q 100 0 0 80 0 0 cm /Im0 Do Q` }],
    ['beside a pattern', { draw: `${DRAW} q /Pattern cs /P0 scn 0 0 9 9 re f Q` }],
    ['in content that restores more states than it saves', { draw: `Q ${DRAW}` }],
  ])('keeps its direction %s', async (name, given) => {
    const { notes, uncertain, enhanced, inputPath, outputPath } = await clean(name.replaceAll(' ', '-'), given);
    expect({ notes, uncertain, enhanced }).toEqual({ notes: [staysSkewed(1)], uncertain: [1], enhanced: 1 });
    const { data } = await samplesOf(inputPath);
    const after = await samplesOf(outputPath);
    const inks = [...data.keys()].filter((at) => at % 3 === 0 && data[at]! < 60 && data[at + 1]! < 60);
    expect(inks.length).toBeGreaterThan(5000);
    expect(inks.filter((at) => after.data[at]! < 110).length / inks.length).toBeGreaterThan(0.999);
    const [before, now] = [inputPath, outputPath].map((path) => placedWords(path));
    expect(now).toEqual(before);
  });

  test('keeps its direction where two pages share it, and where the order keeps the page', async () => {
    const shared = {
      2: '<</Type/Pages/Kids[3 0 R 12 0 R]/Count 2>>',
      12: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 400]/Contents 13 0 R/Resources<</XObject<</Im0 10 0 R>>>>>>',
      13: { dict: '', data: DRAW },
    };
    expect((await clean('shared', { objects: shared })).notes).toEqual([staysSkewed(1, 2)]);
    const kept = await clean('kept', {}, { pages: { 1: 'ORIGINAL' } });
    expect(kept.enhanced).toBe(0);
    expect(
      (await describePdfImages({ inputPath: kept.inputPath, parameters: parametersOf({ mode: 'DOCUMENT' }) })).images,
    ).toHaveLength(1);
  });
});
