import type { PdfDocument, DocumentXref } from '../document/pdf-document.ts';
import { isStream, type PdfDict, type PdfValue } from '../syntax/objects.ts';
import { sizeWith, type ObjectChanges } from './object-changes.ts';
import { openOutput, type Output } from './output.ts';
import { findReachable, yieldToEvents } from './reachable.ts';
import { writeAdded, writeStream, writeValue } from './write-object.ts';
import { writeXrefStream, writeXrefTable, type Section, type WrittenEntry } from './xref-writer.ts';

export interface RewriteOptions {
  signal?: AbortSignal | undefined;
  /** Replaces the entries of the trailer, which name the same objects, or added ones */
  trailer?: PdfDict | undefined;
  /** Version in the header, such as `1.7`; that of the file by default, and at least 1.5 */
  version?: string | undefined;
}

/**
 * Writes a new file with only the objects that the changed document references from its trailer. Objects keep their
 * numbers, and object streams are copied unchanged, so no decryption is necessary.
 * @throws the signal's reason
 */
export async function rewrite(
  pdf: PdfDocument,
  outputPath: string,
  changes: ObjectChanges,
  { signal, trailer: given, version }: RewriteOptions = {},
): Promise<void> {
  const { values, streams, added = [] } = changes;
  const { index, trailer: present, live } = await findLive(pdf, changes, signal);
  const output = openOutput(outputPath);
  try {
    writeHeader(output, pdf, version);
    const entries = new Map<number, WrittenEntry>([[0, { type: 'free' }]]);
    for (let number = 1; number < live.length; number += 1) {
      if (live[number] !== 1) continue;
      if (number % 256 === 0) await yieldToEvents(signal);
      const entry = index.get(number);
      const value = values?.get(number);
      if (entry?.type === 'compressed' && value === undefined) {
        entries.set(number, entry);
        continue;
      }
      const stored = value === undefined ? pdf.get(number) : null;
      const recorded = entry?.type === 'offset' ? entry.generation : 0;
      const generation = isStream(stored) ? stored.generation : recorded;
      entries.set(number, { type: 'offset', offset: output.position(), generation });
      if (isStream(stored)) writeStream(output, pdf, stored, streams?.get(number));
      else writeValue(output, pdf, { number, generation }, value ?? stored);
    }
    for (const each of added) {
      entries.set(each.number, { type: 'offset', offset: output.position(), generation: 0 });
      writeAdded(output, pdf, each);
    }
    writeXref(output, { entries, trailer: given ?? present, size: sizeWith(pdf, added) });
  } finally {
    output.close();
  }
}

function writeHeader(output: Output, pdf: PdfDocument, asked: string | undefined): void {
  const version = asked ?? /%PDF-(\d\.\d)/.exec(pdf.source.read(0, 64).toString('latin1'))?.[1] ?? '1.7';
  output.write(`%PDF-${version < '1.5' ? '1.5' : version}\n%\xe2\xe3\xcf\xd3\n`);
}

/** Numbers of a classic table for each object that it contains. A stream lists only the objects that exist. */
const SPARSE = 20;

function writeXref(output: Output, section: Section): void {
  const isSparse = section.size > SPARSE * section.entries.size;
  const needsStream = isSparse || [...section.entries.values()].some(({ type }) => type === 'compressed');
  if (needsStream) writeXrefStream(output, 0, section);
  else writeXrefTable(output, 0, { ...section, entries: withFreeEntries(section) });
}

/** Adds free entries: a single section of a classic table lists every number from 0. */
function withFreeEntries({ entries, size }: Section): ReadonlyMap<number, WrittenEntry> {
  const all = new Map<number, WrittenEntry>();
  for (let number = 0; number < size; number += 1) all.set(number, entries.get(number) ?? { type: 'free' });
  return all;
}

/**
 * Returns the reachable objects. The search repeats when a misplaced object causes a rebuild of the cross-reference
 * table.
 */
async function findLive(
  pdf: PdfDocument,
  { values, streams, added = [] }: ObjectChanges,
  signal: AbortSignal | undefined,
): Promise<DocumentXref & { live: Uint8Array }> {
  for (;;) {
    const before = pdf.xref();
    const read = (number: number): PdfValue => {
      const changed = values?.get(number);
      const value = changed === undefined ? pdf.get(number) : changed;
      const change = isStream(value) ? streams?.get(number) : undefined;
      return isStream(value) && change !== undefined ? change.dict(value) : value;
    };
    const live = await findReachable(pdf, {
      signal,
      read,
      added: added.map((each) => ('value' in each ? each.value : each.dict)),
    });
    if (pdf.xref() === before) return { ...before, live };
  }
}
