import { deflateSync } from 'node:zlib';
import { join } from 'node:path';
import type { UnreadReason } from '@burnish/contract/engine';
import type { ImageWork, PdfPlan } from '../analyze/work.ts';
import { yieldToEvents, type Run } from '../run.ts';
import { mapPoint, type Matrix, multiply } from '../pages/matrix.ts';
import { isOnFirst } from '../split/page-cut.ts';
import type { PageSides, SplitPages } from '../split/split-pages.ts';
import { findScanOfPage } from '../turn/scan-of-page.ts';
import { readingName, readReading, soundWords, type PageWord, type ReadPage } from './page-words.ts';
import { fitWords } from './fit-words.ts';
import { readMarks } from './scan-marks.ts';
import { createTextFont, type TextFont, GLYPH_WIDTH } from './text-font.ts';
import { findUprighting, matrixOfUpright } from '../turn/upright.ts';
import {
  isDict,
  name,
  nextNumber,
  ref,
  walkPages,
  type AddedObject,
  type ObjectChanges,
  type Page,
  type PdfDict,
  type PdfDocument,
  type PdfRef,
  type PdfValue,
} from '@burnish/pdf';

/** What became of the pages whose text was asked for. */
export interface AddedText {
  /** Number of pages with a new layer of text */
  pages: number;
  /** Pages without one, by number from 1 */
  unread: ReadonlyMap<number, UnreadReason>;
}

/**
 * Adds the text that was read on the pages of a plan to the changes of their file.
 * @param changes earlier changes, which may have turned and split the pages; the second sides of split ones change in place
 * @param directory with the readings (`readingName`)
 */
export async function addText(
  pdf: PdfDocument,
  { work }: PdfPlan,
  { changes, sides }: Pick<SplitPages, 'changes' | 'sides'>,
  directory: string,
  run: Run,
): Promise<{ changes: ObjectChanges; text: AddedText }> {
  const unread = new Map<number, UnreadReason>();
  const readings = new Map<number, { work: ImageWork; reading: ReadPage }>();
  for (const [index, each] of work.entries()) {
    if (each.reads === undefined) continue;
    const reading = await readReading(join(directory, readingName(index)));
    if ('unread' in reading) unread.set(each.reads, reading.unread);
    else readings.set(each.reads, { work: each, reading });
  }
  if (readings.size === 0) return { changes, text: { pages: 0, unread } };
  const values = new Map(changes.values);
  const added: AddedObject[] = [...(changes.added ?? [])];
  const first = nextNumber(pdf) + added.length;
  const layers: AddedObject[] = [];
  const addContent = (content: string): PdfRef => {
    const number = first + layers.length;
    const dict: PdfDict = new Map<string, PdfValue>([['Filter', name('FlateDecode')]]);
    layers.push({ number, dict, data: () => deflateSync(content, { level: 9 }) });
    return ref(number);
  };
  const font = createTextFont();
  const named: { fonts: PdfDict; fontName: string }[] = [];
  let number = 0;
  for (const page of walkPages(pdf)) {
    number += 1;
    const read = readings.get(number);
    if (read === undefined) continue;
    await yieldToEvents(run);
    const scan = findScanOfPage(pdf, page, read.work);
    if (scan === undefined) throw new Error(`The scan of page ${number} is not found again.`);
    const words = wordsOnInk(read.reading);
    if (words.length === 0) continue;
    const given = values.get(page.number);
    const dict: PdfDict = new Map(isDict(given) ? given : page.dict);
    // As the page shows its scan once it is turned
    const uprighting = findUprighting(pdf, { ...scan, page: { ...page, dict } });
    const matrix = matrixOfUpright(scan, uprighting, read.reading);
    values.set(page.number, dict);
    const { fonts, fontName } = fontsOf(pdf, page);
    // A turned page has closed its graphics states, and the same operators would close those of nobody.
    const open = dict.get('Contents') === page.dict.get('Contents') ? scan.unclosed : 0;
    for (const [side, own] of divideWords(words, matrix, dict, sides.get(page.number))) {
      if (own.length === 0) continue;
      const content = textContent(own, matrix, fontName, font);
      side.set('Contents', [
        addContent('q'),
        ...contentsOf(pdf, side),
        addContent(`${'Q '.repeat(open + 1)}\n${content}`),
      ]);
      side.set('Resources', new Map(page.resources).set('Font', fonts));
    }
    named.push({ fonts, fontName });
  }
  if (named.length === 0) return { changes, text: { pages: 0, unread } };
  const { font: reference, added: objects } = font.objects(first + layers.length);
  for (const { fonts, fontName } of named) fonts.set(fontName, reference);
  return {
    changes: { ...changes, values, added: [...added, ...layers, ...objects] },
    text: { pages: named.length, unread },
  };
}

/** Returns the words of a page, whose boxes end at their ink. */
function wordsOnInk(reading: ReadPage): PageWord[] {
  const words = soundWords(reading);
  return reading.marks === undefined ? words : fitWords(words, readMarks(reading.marks, reading));
}

/** Returns each page that a page becomes, with the words on it: a word lies on the side of its centre. */
function divideWords(
  words: readonly PageWord[],
  matrix: Matrix,
  page: PdfDict,
  sides: PageSides | undefined,
): [PdfDict, readonly PageWord[]][] {
  if (sides === undefined) return [[page, words]];
  const isFirst = ({ left, top, width, height }: PageWord): boolean =>
    isOnFirst(sides.cut, mapPoint(matrix, left + width / 2, top + height / 2));
  return [
    [page, words.filter(isFirst)],
    [sides.second, words.filter((word) => !isFirst(word))],
  ];
}

function contentsOf(pdf: PdfDocument, dict: PdfDict): PdfValue[] {
  const given = dict.get('Contents') ?? null;
  const contents = pdf.resolve(given);
  return Array.isArray(contents) ? contents : [given];
}

/** Returns a copy of the fonts of a page, and a name that none of them has. */
function fontsOf(pdf: PdfDocument, { resources }: Page): { fonts: PdfDict; fontName: string } {
  const given = pdf.resolve(resources.get('Font'));
  const fonts: PdfDict = new Map(isDict(given) ? given : []);
  let fontName = 'ReadText';
  for (let k = 2; fonts.has(fontName); k += 1) fontName = `ReadText${k}`;
  return { fonts, fontName };
}

/** Decimals of a length in points, and of a scale: a word of 1,000 pixels ends within a tenth of a point. */
const [PLACE_DECIMALS, SCALE_DECIMALS] = [3, 5];

/**
 * Writes words as invisible text (rendering mode 3, ISO 32000-1 section 9.3.6). Each word fills its box: the font has one em
 * above its baseline and glyphs of one width, and the text matrix scales both.
 * @param matrix from pixels of the picture to the user space of the page
 */
function textContent(words: readonly PageWord[], matrix: Matrix, fontName: string, font: TextFont): string {
  const lines = words.map(({ text, left, top, width, height, continues }) => {
    const characters = [...text];
    const across = width / (characters.length * GLYPH_WIDTH);
    const placed = multiply([across, 0, 0, -height, left, top + height], matrix);
    const codes = [...characters, ...(continues ? [' '] : [])].map((character) => font.codeOf(character)).join('');
    return `${inText(placed)} Tm <${codes}> Tj`;
  });
  return ['BT', '3 Tr', `/${fontName} 1 Tf`, ...lines, 'ET'].join('\n');
}

const inText = (matrix: Matrix): string =>
  matrix.map((value, k) => decimal(value, k < 4 ? SCALE_DECIMALS : PLACE_DECIMALS)).join(' ');

/** Writes a number without an exponent. */
function decimal(value: number, decimals: number): string {
  const text = value.toFixed(decimals).replace(/\.?0+$/u, '');
  return text === '-0' ? '0' : text;
}
