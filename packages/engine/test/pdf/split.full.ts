import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { isDict, isRef, openPdfDocument, serialize, walkPages, type PdfDict, type PdfDocument } from '@burnish/pdf';
import type { EnhancementParameters } from '@burnish/contract/engine';
import type { PageWord } from '../../src/pdf/text/page-words.ts';
import { drawnSpread } from '../support/drawn-spread.ts';
import { asSharp, scratchFolder } from '../support/files.ts';
import { buildPdf, type BuildOptions, type BuiltObject, type Objects } from '../../../pdf/test/build-pdf.ts';
import { qpdfComplaint, wordsOfPages } from './judges.ts';
import { flateImage, scan as drawnScan } from './pictures.ts';
import { enhancePdf, parametersOf, type Enhanced } from './support.ts';

const scratch = await scratchFolder();
/** Pixels of the scan, which fills a page of 620 × 440 points: cleaning more takes longer, and finds the same fold. */
const [WIDTH, HEIGHT] = [434, 308];
const DRAW = 'q 620 0 0 440 0 0 cm /Im0 Do Q';
const page = (more = '', image = 10, content = 4): string =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 620 440]/Contents ${content} 0 R/Resources<</XObject<</Im0 ${image} 0 R>>>>${more}>>`;

let spread: BuiltObject;
let single: BuiltObject;
beforeAll(async () => {
  const image = ({ dict, data }: { dict: string; data: Buffer }): BuiltObject => ({
    dict: `/Type/XObject/Subtype/Image ${dict}`,
    data,
  });
  const drawn = asSharp(await drawnSpread({ left: 1.2, right: -0.8 })).resize(WIDTH, HEIGHT);
  spread = image(flateImage({ data: await drawn.raw().toBuffer(), width: WIDTH, height: HEIGHT, channels: 3 }));
  single = image(flateImage(drawnScan(350, 495)));
});

/** A document of one spread, with more objects. */
const document = (objects: Objects = {}, options: BuildOptions = {}): Buffer =>
  buildPdf(
    {
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      3: page(),
      4: { dict: '', data: DRAW },
      10: spread,
      ...objects,
    },
    options,
  );

interface Given {
  parameters?: EnhancementParameters;
  words?: PageWord[];
}

async function split(name: string, bytes: Buffer, { parameters = {}, words }: Given = {}): Promise<Enhanced> {
  const [inputPath, outputPath] = [scratch(`${name}.pdf`), scratch(`${name}.out.pdf`)];
  writeFileSync(inputPath, bytes);
  const asked = parametersOf({ mode: 'DOCUMENT', split: true, ...(words && { text: true }), ...parameters });
  const readWords = async () => words;
  const made = await enhancePdf({ inputPath, outputPath, parameters: asked, readWords });
  expect(qpdfComplaint(outputPath)).toBe('');
  return { ...made, inputPath, outputPath };
}

function withPages<T>(path: string, use: (pages: (PdfDict & { number: number })[], pdf: PdfDocument) => T): T {
  const pdf = openPdfDocument(path);
  try {
    return use(
      [...walkPages(pdf)].map(({ dict, number }) => Object.assign(new Map(dict), { number })),
      pdf,
    );
  } finally {
    pdf.close();
  }
}

/** Entries of the pages of a file, as syntax; undefined for an entry that a page lacks. */
const entries = (path: string, ...keys: string[]): (string | undefined)[][] =>
  withPages(path, (pages) =>
    pages.map((each) => keys.map((key) => (each.has(key) ? serialize(each.get(key)!) : undefined))),
  );

const objectOf = (path: string, number: number): string => withPages(path, (_, pdf) => serialize(pdf.get(number)));

const boxes = (path: string): number[][] =>
  withPages(path, (pages) => pages.map((each) => each.get('MediaBox') as number[]));
const LEFT = [0, 0, 310, 440];
const RIGHT = [310, 0, 620, 440];
/** The fold of the drawing lies in its middle, give or take a few pixels. */
function expectBoxes(path: string, wanted: number[][]): void {
  const found = boxes(path);
  expect(found).toHaveLength(wanted.length);
  found.forEach((box, k) => box.forEach((side, at) => expect(Math.abs(side - wanted[k]![at]!)).toBeLessThan(6)));
}

describe('a page with a spread', () => {
  test('becomes two pages that share its image and end at the fold', async () => {
    const made = await split('two', document(), { parameters: { compact: false } });
    expect([made.split, made.pages, made.notes]).toEqual([
      [1],
      1,
      [
        { code: 'PAGES_STRAIGHTENED', pages: 1 },
        { code: 'PAGES_SPLIT', pages: 1, of: 1 },
      ],
    ]);
    expectBoxes(made.outputPath, [LEFT, RIGHT]);
    const [one, other] = boxes(made.outputPath);
    expect(one![2]).toBe(other![0]);
    const [first, second] = entries(made.outputPath, 'Contents', 'Resources', 'Parent', 'CropBox');
    expect(second).toEqual(first);
    expect(objectOf(made.outputPath, 2)).toMatch(/\/Count 2\b/u);
    const before = readFileSync(made.inputPath);
    expect(readFileSync(made.outputPath).subarray(0, before.length).equals(before)).toBe(true);
  });

  test('stays one page by default', async () => {
    const made = await split('default', document(), { parameters: { split: false } });
    expect(made.split).toEqual([]);
    expectBoxes(made.outputPath, [[0, 0, 620, 440]]);
    expect(made.notes.map(({ code }) => code)).not.toContain('PAGES_SPLIT');
  });

  test.each<[string, string, string, number[][]]>([
    ['from right to left', '/ViewerPreferences<</Direction/R2L>>', '', [RIGHT, LEFT]],
    ['shown upside down', '', '/Rotate 180', [RIGHT, LEFT]],
    ['shown on its side', '', '/Rotate 90', [LEFT, RIGHT]],
    ['shown on its other side', '', '/Rotate 270', [RIGHT, LEFT]],
    ['on its side from right to left', '/ViewerPreferences<</Direction/R2L>>', '/Rotate 90', [LEFT, RIGHT]],
  ])('is read in the order of its document: %s', async (name, catalog, more, wanted) => {
    const objects = { 1: `<</Type/Catalog/Pages 2 0 R${catalog}>>`, 3: page(more) };
    expectBoxes((await split(name.replaceAll(' ', '-'), document(objects))).outputPath, wanted);
  });

  test('keeps its boxes, its unit and its rotation', async () => {
    const more =
      '/CropBox[20 10 600 430]/TrimBox[30 20 590 420]/ArtBox[330 50 500 400]/UserUnit 2/Thumb 10 0 R/StructParents 0';
    const { outputPath } = await split('boxes', document({ 3: page(more) }));
    const [first, second] = withPages(outputPath, (pages) => pages.map((each) => Object.fromEntries(each)));
    const at = (first!['MediaBox'] as number[])[2]!;
    expect(first).toMatchObject({
      CropBox: [20, 10, at, 430],
      TrimBox: [30, 20, at, 420],
      UserUnit: 2,
      StructParents: 0,
    });
    expect(second).toMatchObject({
      CropBox: [at, 10, 600, 430],
      TrimBox: [at, 20, 590, 420],
      ArtBox: [330, 50, 500, 400],
      UserUnit: 2,
    });
    expect([first!['ArtBox'], first!['Thumb'], second!['Thumb'], second!['StructParents']]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('inherits what its node has, whose parents count it', async () => {
    const objects = {
      2: '<</Type/Pages/Kids[5 0 R]/Count 2/MediaBox[0 0 620 440]/CropBox[10 0 610 440]>>',
      5: '<</Type/Pages/Parent 2 0 R/Kids[6 0 R 3 0 R]/Count 2/Rotate 180>>',
      3: `<</Type/Page/Parent 5 0 R/Contents 4 0 R/Resources<</XObject<</Im0 10 0 R>>>>>>`,
      6: '<</Type/Page/Parent 5 0 R>>',
    };
    const { outputPath, split: numbers } = await split('nested', document(objects));
    expect(numbers).toEqual([2]);
    expect([2, 5].map((node) => /\/Count (\d+)/u.exec(objectOf(outputPath, node))![1])).toEqual(['3', '3']);
    const [[, ...first], second, third] = [...entries(outputPath, 'Rotate', 'MediaBox', 'CropBox')] as [
      string[],
      string[],
      string[],
    ];
    expect(first).toEqual([undefined, undefined]);
    const at = /\[(\S+) 0 620/u.exec(second[1]!)![1]!;
    expect([second, third]).toEqual([
      [undefined, `[${at} 0 620 440]`, `[${at} 0 610 440]`],
      [undefined, `[0 0 ${at} 440]`, `[10 0 ${at} 440]`],
    ]);
  });

  test('is not split where it shows one side', async () => {
    const { outputPath, notes } = await split('one-side', document({ 3: page('/CropBox[0 0 300 440]') }));
    expectBoxes(outputPath, [[0, 0, 620, 440]]);
    expect(notes).toContainEqual({ code: 'PAGES_SPLIT', pages: 0, of: 1 });
  });

  test.each<[string, Objects]>([
    ['drawn-text', { 4: { dict: '', data: `${DRAW} BT /F1 9 Tf 60 60 Td (visible) Tj ET` } }],
    ['a-line', { 4: { dict: '', data: `${DRAW} 0 0 m 620 440 l S` } }],
    ['an-image-of-two-pages', { 2: '<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>', 5: page() }],
  ])('stays whole with more than its scan, and a note says so: %s', async (name, objects) => {
    const made = await split(name, document(objects));
    expect(made.split).toEqual([]);
    expect(made.notes).toContainEqual(expect.objectContaining({ code: 'SPREADS_NOT_SPLIT', because: 'not-alone' }));
  });

  test('stays whole where the order keeps it', async () => {
    const objects = { 2: '<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>', 5: page('', 11), 11: spread };
    const made = await split('kept', document(objects), { parameters: { pages: { 1: 'ORIGINAL' } } });
    expect(made.split).toEqual([2]);
    expectBoxes(made.outputPath, [[0, 0, 620, 440], LEFT, RIGHT]);
  });
});

describe('beside other pages', () => {
  /** Two spreads, an ordinary page, and another spread. */
  const book = (objects: Objects = {}): Buffer =>
    document({
      2: '<</Type/Pages/Kids[3 0 R 5 0 R 6 0 R 7 0 R]/Count 4>>',
      5: page('', 11),
      6: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 350 495]/Contents 8 0 R/Resources<</XObject<</Im0 12 0 R>>>>>>',
      7: page('', 13),
      8: { dict: '', data: 'q 350 0 0 495 0 0 cm /Im0 Do Q' },
      11: spread,
      12: single,
      13: spread,
      ...objects,
    });

  test('each spread is split, and each page keeps its label', async () => {
    const catalog =
      '<</Type/Catalog/Pages 2 0 R/PageLabels<</Kids[20 0 R]>>/ViewerPreferences<</PrintPageRange[2 3]/Direction/L2R>>>>';
    const labels = '<</Nums[0<</S/r/St 4>>1<</S/D/P(A-)>>3<</P(end)>>]>>';
    const made = await split('book', book({ 1: catalog, 20: labels }));
    expect(made.split).toEqual([1, 2, 4]);
    expect(made.notes).toContainEqual({ code: 'PAGES_SPLIT', pages: 3, of: 4 });
    expectBoxes(made.outputPath, [LEFT, RIGHT, LEFT, RIGHT, [0, 0, 350, 495], LEFT, RIGHT]);
    const catalogNow = objectOf(made.outputPath, 1);
    expect(catalogNow).toContain('/PrintPageRange [3 5]');
    // iv iv A-1 A-1 A-2 end end
    expect(/\/Nums (\[.*?\]) /u.exec(catalogNow)![1]).toBe(
      '[0 <</S /r /St 4 >> 1 <</S /r /St 4 >> 2 <</S /D /P <412d> >> 3 <</S /D /P <412d> >> 5 <</P <656e64> >>]',
    );
  });

  test('destinations lead to the side of their point, and those of other pages stay', async () => {
    const catalog =
      '<</Type/Catalog/Pages 2 0 R/Outlines 20 0 R/OpenAction[5 0 R/Fit]/Dests<</a[5 0 R/XYZ 100 400 0]/b[5 0 R/XYZ 400 400 null]/c[5 0 R/FitR 350 0 500 100]/d[6 0 R/XYZ 400 0 0]/e[5 0 R/FitH 100]/f[5 0 R/FitV 500]>>>>';
    const outlines = {
      20: '<</Type/Outlines/First 21 0 R/Last 21 0 R/Count 1>>',
      21: '<</Title(t)/Parent 20 0 R/A<</S/GoTo/D[3 0 R/XYZ 320 null null]>>>>',
    };
    const { outputPath } = await split('destinations', book({ 1: catalog, ...outlines }));
    const numbers = withPages(outputPath, (pages) => pages.map(({ number }) => number));
    expect([numbers[0], numbers[2], numbers[4], numbers[5]]).toEqual([3, 5, 6, 7]);
    const text = objectOf(outputPath, 1);
    const target = (name: string): string => new RegExp(`/${name} \\[(\\d+) 0 R`, 'u').exec(text)![1]!;
    const leads = ['OpenAction', 'a', 'b', 'c', 'd', 'e', 'f'].map((name) => numbers.indexOf(Number(target(name))));
    expect(leads).toEqual([2, 2, 3, 3, 4, 2, 3]);
    expect(objectOf(outputPath, 21)).toContain(`/D [${numbers[1]!} 0 R`);
  });

  test('links lie on the side of their centre, with their windows and their structure', async () => {
    const link = (rect: string, more = ''): string =>
      `<</Type/Annot/Subtype/Link/Rect[${rect}]/P 3 0 R/Border[0 0 0]/A<</S/URI/URI(u)>>${more}>>`;
    const objects: Objects = {
      1: '<</Type/Catalog/Pages 2 0 R/StructTreeRoot 30 0 R>>',
      3: page(`/Annots[20 0 R 21 0 R 22 0 R 23 0 R 24 0 R ${link('500 300 520 320', '/NM(direct)')}]`),
      20: link('20 20 60 40', '/NM(left)'),
      21: link('400 20 460 40', '/NM(right)'),
      22: link('250 60 350 80', '/NM(over)'),
      23: '<</Type/Annot/Subtype/Text/Rect[500 400 520 420]/Popup 24 0 R/P 3 0 R/NM(mark)>>',
      24: '<</Type/Annot/Subtype/Popup/Rect[100 300 200 400]/Parent 23 0 R/P 3 0 R/NM(window)>>',
      30: '<</Type/StructTreeRoot/K 31 0 R>>',
      31: '<</Type/StructElem/S/Link/P 30 0 R/Pg 3 0 R/K<</Type/OBJR/Obj 21 0 R/Pg 3 0 R>>>>',
    };
    const { outputPath } = await split('links', document(objects));
    const names = withPages(outputPath, (pages, pdf) =>
      pages.map((each) =>
        (pdf.resolve(each.get('Annots')) as unknown[]).map((item) => {
          const annotation = pdf.resolve(item as never);
          if (!isDict(annotation)) throw new Error('No annotation.');
          const own = annotation.get('P');
          expect(isRef(own) && own.number).toBe(each.number);
          return Buffer.from((annotation.get('NM') as { bytes: Buffer }).bytes).toString();
        }),
      ),
    );
    expect(names).toEqual([
      ['left', 'over'],
      ['right', 'mark', 'window', 'direct'],
    ]);
    const [, second] = withPages(outputPath, (pages) => pages.map(({ number }) => number));
    expect(objectOf(outputPath, 31)).toContain(`/Pg ${second!} 0 R`);
  });
});

describe('the text of a spread', () => {
  /** Pixels of the scan for a point of its page. */
  const scale = WIDTH / 620;
  const word = (text: string, left: number, width = 40): PageWord => ({
    text,
    left: left * scale,
    top: 150 * scale,
    width: width * scale,
    height: 12 * scale,
  });

  test('lies on its own side', async () => {
    const words = [word('left', 100), word('inner', 280, 25), word('right', 450)];
    const made = await split('text', document(), { words });
    expect([made.textPages, made.split]).toEqual([1, [1]]);
    expect(wordsOfPages(made.outputPath) ?? [['left', 'inner'], ['right']]).toEqual([['left', 'inner'], ['right']]);
    const contents = withPages(made.outputPath, (pages, pdf) =>
      pages.map((each) => (pdf.resolve(each.get('Contents')) as unknown[]).length),
    );
    expect(contents).toEqual([3, 3]);
  });

  test('gets no layer on a side without words', async () => {
    const made = await split('text-left', document(), { words: [word('left', 100)] });
    expect(wordsOfPages(made.outputPath) ?? [['left'], []]).toEqual([['left'], []]);
  });

  test('of its own stays on it, invisible', async () => {
    const own = '3 Tr BT /F1 9 Tf 60 60 Td (before) Tj 400 0 Td (after) Tj ET';
    const objects = {
      3: page().replace('/XObject', '/Font<</F1 9 0 R>>/XObject'),
      4: { dict: '', data: `${DRAW} ${own}` },
      9: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    };
    const { outputPath, split: numbers } = await split('own-text', document(objects));
    expect(numbers).toEqual([1]);
    expect(wordsOfPages(outputPath) ?? [['before'], ['after']]).toEqual([['before'], ['after']]);
  });
});
