import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { isDict, openPdfDocument, walkPages } from '@burnish/pdf';
import type { Picture } from '../../src/image/picture.ts';
import { quarterTurned, type QuarterTurns } from '../../src/image/quarter-turn.ts';
import { buildPdf } from '../../../pdf/test/build-pdf.ts';
import { drawnSpread, SPREAD_HEIGHT, SPREAD_WIDTH } from '../support/drawn-spread.ts';
import { scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { boxedWords, qpdfComplaint } from './judges.ts';
import { flateImage } from './pictures.ts';
import { enhanceBytes, enhancePdf, parametersOf, samplesOf, type Enhanced } from './support.ts';

const scratch = await scratchFolder();
const DRAW = '/Perceptual ri q 620 0 0 440 0 0 cm /Im0 Do Q';
/** A clip that keeps the whole scan, as scanners write it. */
const CLIPPED = 'q 0 0 620 440 re W n 620 0 0 440 0 0 cm /Im0 Do Q';
const WORDS = 'BT 3 Tr /F1 8 Tf 60 60 Td (words) Tj ET';
const LINK = '<</Type/Annot/Subtype/Link/Rect[60 60 90 70]/A<</S/URI/URI(https://example.com)>>>>';

let scan: Picture;
beforeAll(async () => {
  scan = await drawnSpread({ left: 1.6, right: -1 });
});

const DOCUMENT = { mode: 'DOCUMENT' } as const;

function spreadPdf({ content = CLIPPED, annotations = '' } = {}): Buffer {
  const { dict, data } = flateImage({ ...scan, data: Buffer.from(scan.data) });
  return buildPdf({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 620 440]/Contents 4 0 R/Annots[${annotations}]/Resources<</XObject<</Im0 10 0 R>>/Font<</F1 8 0 R>>>>>>`,
    4: { dict: '', data: content },
    8: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    10: { dict: `/Type/XObject/Subtype/Image ${dict}`, data },
  });
}

const clean = (name: string, given?: Parameters<typeof spreadPdf>[0]): Promise<Enhanced> =>
  enhanceBytes(spreadPdf(given), scratch(name), parametersOf(DOCUMENT));

const falls = async (path: string): Promise<number[]> => fallsIn(await samplesOf(path));

/** Rows by which the rule of each page falls over 180 columns of the scan. */
function fallsIn({ data }: Picture): number[] {
  const channels = data.length / (SPREAD_WIDTH * SPREAD_HEIGHT);
  const rowOfRule = (x: number): number => {
    let [row, darkest] = [0, 256];
    for (let y = 430; y < SPREAD_HEIGHT - 20; y += 1) {
      const light = data[(y * SPREAD_WIDTH + x) * channels]!;
      if (light < darkest) [row, darkest] = [y, light];
    }
    return row;
  };
  return [rowOfRule(276) - rowOfRule(96), rowOfRule(648) - rowOfRule(468)];
}

const objectText = (path: string, number: number): string => {
  const pdf = openPdfDocument(path);
  try {
    const value = pdf.get(number);
    return isDict(value) ? JSON.stringify([...value.keys()]) : '';
  } finally {
    pdf.close();
  }
};

function boxesOf(path: string): number[][] {
  const pdf = openPdfDocument(path);
  try {
    return [...walkPages(pdf)].map(({ dict }) => dict.get('MediaBox') as number[]);
  } finally {
    pdf.close();
  }
}

describe('a spread that a page shows', () => {
  test('alone gets each of its pages straight, and the page stays as it is', async () => {
    const result = await clean('alone');
    expect(result.notes).toEqual([{ code: 'PAGES_STRAIGHTENED', pages: 1 }]);
    expect(result.uncertain).toEqual([]);
    for (const fall of await falls(result.inputPath)) expect(Math.abs(fall)).toBeGreaterThan(2);
    for (const fall of await falls(result.outputPath)) expect(Math.abs(fall)).toBeLessThanOrEqual(1);
    expect(qpdfComplaint(result.outputPath)).toBe('');
    expect(objectText(result.outputPath, 3)).toBe(objectText(result.inputPath, 3));
  });

  test('alone has its text read from its straight pages, and placed on them', async () => {
    const [inputPath, outputPath] = [scratch('text.pdf'), scratch('text.out.pdf')];
    writeFileSync(inputPath, spreadPdf());
    const read: number[][] = [];
    const parameters = parametersOf({ ...DOCUMENT, text: true });
    const readWords = async ({ path }: { path: string }) => {
      read.push(fallsIn(await readRgb(path)));
      return [{ text: 'rule', left: 36, top: 456, width: 300, height: 18 }];
    };
    const { notes } = await enhancePdf({ inputPath, outputPath, parameters, readWords });
    expect(notes).toEqual([
      { code: 'PAGES_STRAIGHTENED', pages: 1 },
      { code: 'TEXT_ADDED', pages: 1, of: 1 },
    ]);
    expect(read).toHaveLength(1);
    for (const fall of read[0]!) expect(Math.abs(fall)).toBeLessThanOrEqual(1);
    // Beyond its baseline, as letters such as g need it
    const wanted = [30, 380, 280, 395 + (2 / 7) * 15];
    const words = boxedWords(outputPath) ?? [{ word: 'rule', box: wanted }];
    expect(words.map(({ word }) => word)).toEqual(['rule']);
    words[0]!.box.forEach((side, k) => expect(Math.abs(side - wanted[k]!)).toBeLessThan(0.5));
  });

  test.each([90, 270] as const)('that lies on its side, with Rotate %d, gets each page straight', async (degrees) => {
    const back = (degrees === 90 ? 3 : 1) satisfies QuarterTurns;
    const { dict, data } = flateImage({
      ...quarterTurned(scan, back),
      data: Buffer.from(quarterTurned(scan, back).data),
    });
    const bytes = buildPdf({
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 440 620]/Rotate ${degrees}/Contents 4 0 R/Resources<</XObject<</Im0 10 0 R>>>>>>`,
      4: { dict: '', data: 'q 440 0 0 620 0 0 cm /Im0 Do Q' },
      10: { dict: `/Type/XObject/Subtype/Image ${dict}`, data },
    });
    const parameters = parametersOf({ ...DOCUMENT, split: true });
    const { outputPath, notes, split } = await enhanceBytes(bytes, scratch(`side-${degrees}`), parameters);
    expect([split, notes[0]]).toEqual([[1], { code: 'PAGES_STRAIGHTENED', pages: 1 }]);
    const upright = quarterTurned(await samplesOf(outputPath), degrees === 90 ? 1 : 3);
    for (const fall of fallsIn(upright)) expect(Math.abs(fall)).toBeLessThanOrEqual(1);
    expect(qpdfComplaint(outputPath)).toBe('');
    const boxes = boxesOf(outputPath);
    const wanted = [
      [0, 0, 440, 310],
      [0, 310, 440, 620],
    ];
    (degrees === 90 ? wanted : wanted.toReversed()).forEach((box, k) =>
      box.forEach((side, at) => expect(Math.abs(side - boxes[k]![at]!)).toBeLessThan(6)),
    );
  });

  test.each<[string, { content?: string; annotations?: string }]>([
    ['text', { content: `${CLIPPED}\n${WORDS}` }],
    ['a link', { annotations: LINK }],
    ['an operator that may draw', { content: DRAW.replace('/Perceptual ri', '0 0 m 9 9 l S') }],
  ])('under %s has no page turned by itself, and a note says so', async (name, given) => {
    const result = await clean(name.replaceAll(' ', '-'), given);
    expect(result.uncertain).toEqual([1]);
    expect(result.notes).toContainEqual({ code: 'SPREADS_TURNED_TOGETHER', pages: { first: [1], count: 1 } });
    const [left, right] = await falls(result.outputPath);
    expect(Math.abs(left! - right!)).toBeGreaterThan(6);
  });
});
