import { deflateSync } from 'node:zlib';
import { join } from 'node:path';
import type { UnreadReason } from '../../contract/notes.ts';
import type { ImageWork, PdfPlan } from '../analyze/work.ts';
import { yieldToEvents, type Run } from '../run.ts';
import { findScanOfPage } from '../turn/scan-of-page.ts';
import { readingName, readReading, soundWords, type PageReading } from './page-words.ts';
import { createTextFont } from './text-font.ts';
import { textContent } from './text-layer.ts';
import { findUprighting, matrixOfUpright } from './upright.ts';
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
 * @param changes earlier changes, which may have turned the pages
 * @param directory with the readings (`readingName`)
 */
export async function addText(
  pdf: PdfDocument,
  { work }: PdfPlan,
  changes: ObjectChanges,
  directory: string,
  run: Run,
): Promise<{ changes: ObjectChanges; text: AddedText }> {
  const unread = new Map<number, UnreadReason>();
  const readings = new Map<number, { work: ImageWork; reading: Exclude<PageReading, { unread: unknown }> }>();
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
  const named: { dict: PdfDict; fonts: PdfDict; fontName: string }[] = [];
  let number = 0;
  for (const page of walkPages(pdf)) {
    number += 1;
    const given = readings.get(number);
    if (given === undefined) continue;
    await yieldToEvents(run);
    const scan = findScanOfPage(pdf, page, given.work);
    if (scan === undefined) throw new Error(`The scan of page ${number} is not found again.`);
    const words = soundWords(given.reading);
    if (words.length === 0) continue;
    const matrix = matrixOfUpright(scan, findUprighting(pdf, scan), given.reading);
    const turned = values.get(page.number);
    const dict: PdfDict = new Map(isDict(turned) ? turned : page.dict);
    const { fonts, fontName } = fontsOf(pdf, page);
    const content = textContent(words, matrix, fontName, font);
    // A turned page has closed its graphics states, and the same operators would close those of nobody.
    const open = isDict(turned) ? 0 : scan.unclosed;
    dict.set('Contents', [
      addContent('q'),
      ...contentsOf(pdf, dict),
      addContent(`${'Q '.repeat(open + 1)}\n${content}`),
    ]);
    dict.set('Resources', new Map(page.resources).set('Font', fonts));
    values.set(page.number, dict);
    named.push({ dict, fonts, fontName });
  }
  if (named.length === 0) return { changes, text: { pages: 0, unread } };
  const { font: reference, added: objects } = font.objects(first + layers.length);
  for (const { fonts, fontName } of named) fonts.set(fontName, reference);
  return {
    changes: { ...changes, values, added: [...added, ...layers, ...objects] },
    text: { pages: named.length, unread },
  };
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
