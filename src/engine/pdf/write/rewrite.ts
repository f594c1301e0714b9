import type { PdfDocument, DocumentXref } from '../document/pdf-document.ts';
import { isDict, isRef, isStream, type PdfDict, type PdfValue } from '../syntax/objects.ts';
import { openOutput, type Output } from './output.ts';
import type { StoredObject } from './result-file.ts';
import { breathe, type Run } from '../run.ts';
import { serialize } from '../syntax/serialize.ts';
import { numberMasks, writeImageObject, writeMaskObject, type ReplacedImage } from './write-image.ts';
import { writeXrefStream, writeXrefTable, type WrittenEntry } from './xref-writer.ts';

/**
 * Writes a new file with only the objects that the document references from its trailer. Objects keep their numbers,
 * and object streams are copied unchanged, so no decryption is necessary. Only the data of changed images is new.
 */
export async function rewrite(
  pdf: PdfDocument,
  outputPath: string,
  objects: readonly StoredObject[],
  run: Run,
): Promise<void> {
  const remasked = new Set(objects.filter(({ mask }) => mask).map(({ number }) => number));
  const { index, trailer, live } = await findLive(pdf, remasked, run);
  const images = numberMasks(objects, live.length);
  const replaced = new Map(images.map((image) => [image.number, image]));
  const output = openOutput(outputPath);
  try {
    writeHeader(output, pdf);
    const entries = new Map<number, WrittenEntry>([[0, { type: 'free' }]]);
    for (let number = 1; number < live.length; number += 1) {
      if (live[number] !== 1) continue;
      if (number % 256 === 0) await breathe(run);
      const entry = index.get(number);
      if (entry?.type === 'compressed') entries.set(number, entry);
      if (entry?.type !== 'offset') continue;
      const offset = output.position();
      const generation = writeObject(output, pdf, number, entry.generation, replaced.get(number));
      entries.set(number, { type: 'offset', offset, generation });
    }
    let size = live.length;
    for (const { mask } of images) {
      if (mask === undefined) continue;
      size += 1;
      entries.set(mask.number, { type: 'offset', offset: output.position(), generation: 0 });
      writeMaskObject(output, pdf, mask);
    }
    const section = { entries, trailer, size };
    if ([...entries.values()].some(({ type }) => type === 'compressed')) writeXrefStream(output, 0, section);
    else writeXrefTable(output, 0, { ...section, entries: withFreeEntries(entries, size) });
  } finally {
    output.close();
  }
}

/** Adds free entries: a single section of a classic table lists every number from 0. */
function withFreeEntries(entries: ReadonlyMap<number, WrittenEntry>, size: number): ReadonlyMap<number, WrittenEntry> {
  const all = new Map<number, WrittenEntry>();
  for (let number = 0; number < size; number += 1) all.set(number, entries.get(number) ?? { type: 'free' });
  return all;
}

function writeHeader(output: Output, pdf: PdfDocument): void {
  const version = /%PDF-(\d\.\d)/.exec(pdf.source.read(0, 64).toString('latin1'))?.[1] ?? '1.7';
  output.write(`%PDF-${version < '1.5' ? '1.5' : version}\n%\xe2\xe3\xcf\xd3\n`);
}

function writeObject(
  output: Output,
  pdf: PdfDocument,
  number: number,
  generation: number,
  replaced: ReplacedImage | undefined,
): number {
  const value = pdf.get(number);
  if (!isStream(value)) {
    output.write(`${number} ${generation} obj\n${serialize(value)}\nendobj\n`);
    return generation;
  }
  if (replaced) writeImageObject(output, pdf, value, replaced);
  else {
    const length = pdf.rawLength(value);
    const dict: PdfDict = new Map(value.dict).set('Length', length);
    output.write(`${number} ${value.generation} obj\n${serialize(dict)}\nstream\n`);
    output.copy(pdf.source, value.start, length);
    output.write('\nendstream\nendobj\n');
  }
  return value.generation;
}

/**
 * Returns the reachable objects. The search repeats when a misplaced object causes a rebuild of the cross-reference
 * table.
 */
async function findLive(
  pdf: PdfDocument,
  remasked: ReadonlySet<number>,
  run: Run,
): Promise<DocumentXref & { live: Uint8Array }> {
  const before = pdf.xref();
  const live = await reachable(pdf, before.trailer, remasked, run);
  return pdf.xref() === before ? { ...before, live } : findLive(pdf, remasked, run);
}

/**
 * Marks, by number, every object reachable from the trailer, and the object streams that contain some of them.
 * @param remasked images with new masks
 */
async function reachable(
  pdf: PdfDocument,
  trailer: PdfDict,
  remasked: ReadonlySet<number>,
  run: Run,
): Promise<Uint8Array> {
  const { index } = pdf.xref();
  const live = new Uint8Array(index.size());
  const waiting: number[] = [];
  const mark = (number: number): void => {
    if (number <= 0 || number >= live.length || live[number] === 1) return;
    const entry = index.get(number);
    if (entry === undefined) return;
    live[number] = 1;
    waiting.push(number);
    if (entry.type === 'compressed') mark(entry.container);
  };
  for (const key of ['Root', 'Info', 'Encrypt', 'ID']) markAll(trailer.get(key) ?? null, mark);
  for (let number = waiting.pop(), done = 0; number !== undefined; number = waiting.pop(), done += 1) {
    if (done % 256 === 0) await breathe(run);
    const value = pdf.get(number);
    if (isStream(value) && remasked.has(number)) markAll(withoutMasks(value.dict), mark);
    else markAll(value, mark);
  }
  return live;
}

function withoutMasks(dict: PdfDict): PdfDict {
  return new Map([...dict].filter(([key]) => key !== 'SMask' && key !== 'Mask'));
}

function markAll(value: PdfValue, mark: (number: number) => void): void {
  if (isRef(value)) mark(value.number);
  else if (Array.isArray(value)) for (const item of value) markAll(item, mark);
  else if (isDict(value)) for (const item of value.values()) markAll(item, mark);
  else if (isStream(value)) markAll(value.dict, mark);
}
