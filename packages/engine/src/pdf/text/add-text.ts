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
import { layLines, type WordLine } from './lay-lines.ts';
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
    const lines = linesOnInk(read.reading);
    if (lines.length === 0) continue;
    const given = values.get(page.number);
    const dict: PdfDict = new Map(isDict(given) ? given : page.dict);
    // As the page shows its scan once it is turned
    const uprighting = findUprighting(pdf, { ...scan, page: { ...page, dict } });
    const matrix = matrixOfUpright(scan, uprighting, read.reading);
    values.set(page.number, dict);
    const { fonts, fontName } = fontsOf(pdf, page);
    // A turned page has closed its graphics states, and the same operators would close those of nobody.
    const open = dict.get('Contents') === page.dict.get('Contents') ? scan.unclosed : 0;
    for (const [side, own] of divideLines(lines, matrix, dict, sides.get(page.number))) {
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

/** Returns the lines of a page, whose words end at their ink. */
function linesOnInk(reading: ReadPage): WordLine[] {
  const words = soundWords(reading);
  return layLines(reading.marks === undefined ? words : fitWords(words, readMarks(reading.marks, reading)));
}

/** Returns each page that a page becomes, with the lines on it: a word lies on the side of its centre. */
function divideLines(
  lines: readonly WordLine[],
  matrix: Matrix,
  page: PdfDict,
  sides: PageSides | undefined,
): [PdfDict, readonly WordLine[]][] {
  if (sides === undefined) return [[page, lines]];
  const isFirst = ({ left, top, width, height }: PageWord): boolean =>
    isOnFirst(sides.cut, mapPoint(matrix, left + width / 2, top + height / 2));
  const linesOf = (isOwn: (word: PageWord) => boolean): WordLine[] =>
    lines.map((line) => ({ ...line, words: line.words.filter(isOwn) })).filter(({ words }) => words.length > 0);
  return [
    [page, linesOf(isFirst)],
    [sides.second, linesOf((word) => !isFirst(word))],
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

/** Decimals of points, of scales and places in em, and of percentages: a word of 1,000 pixels ends within a tenth of a point. */
const DECIMALS = { points: 3, scale: 5, em: 4, percent: 2 } as const;

/**
 * Writes lines as invisible text (rendering mode 3, ISO 32000-1 section 9.3.6). The words of a line have one baseline and one size,
 * and the horizontal scaling of each fits its letters, which have one width, into its box.
 * @param matrix from pixels of the picture to the user space of the page
 */
function textContent(lines: readonly WordLine[], matrix: Matrix, fontName: string, font: TextFont): string {
  const written = lines.flatMap(({ words, size, baseline: { start, slope } }) => {
    const from = words[0]!.left;
    const onLine = multiply([size, slope * size, slope * size, -size, from, start + slope * from], matrix);
    let before = 0;
    return words.flatMap(({ text, left, width }, k) => {
      const characters = [...text];
      const place = Number(((left - from) / size).toFixed(DECIMALS.em));
      const move = k === 0 ? `${inText(onLine)} Tm` : `${decimal(place - before, DECIMALS.em)} 0 Td`;
      before = place;
      const scale = (100 * width) / (characters.length * GLYPH_WIDTH * size);
      const codes = [...characters, ...(k + 1 < words.length ? [' '] : [])].map((each) => font.codeOf(each)).join('');
      return `${move} ${decimal(scale, DECIMALS.percent)} Tz <${codes}> Tj`;
    });
  });
  return ['BT', '3 Tr', `/${fontName} 1 Tf`, ...written, 'ET'].join('\n');
}

const inText = (matrix: Matrix): string =>
  matrix.map((value, k) => decimal(value, k < 4 ? DECIMALS.scale : DECIMALS.points)).join(' ');

/** Writes a number without an exponent. */
function decimal(value: number, decimals: number): string {
  const text = value.toFixed(decimals).replace(/\.?0+$/u, '');
  return text === '-0' ? '0' : text;
}
