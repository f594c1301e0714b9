import type { PdfDocument, DocumentXref } from '../document/pdf-document.ts';
import { isStream, type PdfDict, type PdfValue } from '../syntax/objects.ts';
import type { ObjectChanges } from './object-changes.ts';
import { openOutput, type Output } from './output.ts';
import { findReachable } from './reachable.ts';
import type { StoredObject } from './result-file.ts';
import { breathe, type Run } from '../run.ts';
import { numberMasks, writeImageObject, writeMaskObject, type ReplacedImage } from './write-image.ts';
import { writeAddedStream, writeStreamEnd, writeStreamHead, writeValue } from './write-object.ts';
import { writeXrefStream, writeXrefTable, type WrittenEntry } from './xref-writer.ts';

/**
 * Writes a new file with only the objects that the document references from its trailer. Objects keep their numbers,
 * and object streams are copied unchanged, so no decryption is necessary. Only the data of changed images is new.
 */
export async function rewrite(
  pdf: PdfDocument,
  outputPath: string,
  objects: readonly StoredObject[],
  changes: ObjectChanges,
  run: Run,
): Promise<void> {
  const remasked = new Set(objects.filter(({ mask }) => mask).map(({ number }) => number));
  const { index, trailer, live } = await findLive(pdf, remasked, changes, run);
  const images = numberMasks(objects, changes.next);
  const replaced = new Map(images.map((image) => [image.number, image]));
  const output = openOutput(outputPath);
  try {
    writeHeader(output, pdf);
    const entries = new Map<number, WrittenEntry>([[0, { type: 'free' }]]);
    for (let number = 1; number < live.length; number += 1) {
      if (live[number] !== 1) continue;
      if (number % 256 === 0) await breathe(run);
      const entry = index.get(number);
      const changed = changes.replaced.get(number);
      const offset = output.position();
      if (changed !== undefined) {
        const generation = entry?.type === 'offset' ? entry.generation : 0;
        entries.set(number, { type: 'offset', offset, generation });
        writeValue(output, { number, generation }, changed);
        continue;
      }
      if (entry?.type === 'compressed') entries.set(number, entry);
      if (entry?.type !== 'offset') continue;
      const generation = writeObject(output, pdf, number, entry.generation, replaced.get(number));
      entries.set(number, { type: 'offset', offset, generation });
    }
    for (const stream of changes.added) {
      entries.set(stream.number, { type: 'offset', offset: output.position(), generation: 0 });
      writeAddedStream(output, stream);
    }
    let size = changes.next;
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
    writeValue(output, { number, generation }, value);
    return generation;
  }
  if (replaced) writeImageObject(output, pdf, value, replaced);
  else {
    const length = pdf.rawLength(value);
    const dict: PdfDict = new Map(value.dict).set('Length', length);
    writeStreamHead(output, value, dict);
    output.copy(pdf.source, value.start, length);
    writeStreamEnd(output);
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
  changes: ObjectChanges,
  run: Run,
): Promise<DocumentXref & { live: Uint8Array }> {
  const before = pdf.xref();
  const read = (number: number): PdfValue => {
    const value = changes.replaced.get(number) ?? pdf.get(number);
    return isStream(value) && remasked.has(number) ? withoutMasks(value.dict) : value;
  };
  const added = changes.added.map(({ dict }) => dict);
  const live = await findReachable(pdf, run, read, added);
  return pdf.xref() === before ? { ...before, live } : findLive(pdf, remasked, changes, run);
}

function withoutMasks(dict: PdfDict): PdfDict {
  return new Map([...dict].filter(([key]) => key !== 'SMask' && key !== 'Mask'));
}
