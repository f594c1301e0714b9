import { deflateSync } from 'node:zlib';
import { name, type PdfDict, type PdfValue } from '../syntax/objects.ts';
import type { Output } from './output.ts';
import { serialize } from '../syntax/serialize.ts';
import type { XrefEntry } from '../document/xref-index.ts';

export type WrittenEntry = XrefEntry | { type: 'free' };

/** Trailer entries specific to one section; each new section gets its own. */
const OWN_KEYS = ['Prev', 'XRefStm', 'Type', 'Index', 'W', 'Filter', 'DecodeParms', 'Length', 'Size', 'ID'];

export interface Section {
  entries: ReadonlyMap<number, WrittenEntry>;
  trailer: PdfDict;
  /** One more than the highest object number of the whole file */
  size: number;
  /** Offset of the previous section, if there is one */
  previous?: number;
}

/** Writes a classic table, its trailer and the end of the file (ISO 32000-1 section 7.5.4). */
export function writeXrefTable(output: Output, base: number, section: Section): void {
  const start = output.position() - base;
  output.write('xref\n');
  for (const run of consecutive(section.entries)) {
    output.write(`${run[0]![0]} ${run.length}\n`);
    for (const [, entry] of run) output.write(tableEntry(entry));
  }
  output.write(`trailer\n${serialize(createTrailer(output, section))}\nstartxref\n${start}\n%%EOF\n`);
}

/** Writes a cross-reference stream as a new object, and the end of the file (ISO 32000-1 section 7.5.8). */
export function writeXrefStream(output: Output, base: number, section: Section): void {
  const start = output.position() - base;
  const number = section.size;
  const entries = new Map(section.entries).set(number, { type: 'offset', offset: start, generation: 0 });
  const rows: Buffer[] = [];
  const index: number[] = [];
  for (const run of consecutive(entries)) {
    index.push(run[0]![0], run.length);
    for (const [, entry] of run) rows.push(streamEntry(entry));
  }
  const data = deflateSync(Buffer.concat(rows));
  const dict = createTrailer(output, { ...section, size: number + 1 });
  const own: [string, PdfValue][] = [
    ['Type', name('XRef')],
    ['W', [1, 5, 2]],
    ['Index', index],
    ['Filter', name('FlateDecode')],
    ['Length', data.length],
  ];
  for (const [key, value] of own) dict.set(key, value);
  output.write(`${number} 0 obj\n${serialize(dict)}\nstream\n`);
  output.write(data);
  output.write(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`);
}

function tableEntry(entry: WrittenEntry): string {
  if (entry.type !== 'offset') return '0000000000 65535 f \n';
  return `${String(entry.offset).padStart(10, '0')} ${String(entry.generation).padStart(5, '0')} n \n`;
}

function streamEntry(entry: WrittenEntry): Buffer {
  const row = Buffer.alloc(8);
  if (entry.type === 'free') return row.fill(0xff, 6);
  row[0] = entry.type === 'offset' ? 1 : 2;
  row.writeUIntBE(entry.type === 'offset' ? entry.offset : entry.container, 1, 5);
  row.writeUInt16BE(entry.type === 'offset' ? entry.generation : entry.index, 6);
  return row;
}

function createTrailer(output: Output, { trailer, size, previous }: Section): PdfDict {
  const dict: PdfDict = new Map([...trailer].filter(([key]) => !OWN_KEYS.includes(key)));
  dict.set('Size', size);
  if (previous !== undefined) dict.set('Prev', previous);
  const ids = trailer.get('ID');
  const hasIds = Array.isArray(ids) && ids.length === 2;
  // A new file gets an ID, unless the key of an encrypted one depends on its absence.
  const isNew = previous === undefined && !trailer.has('Encrypt');
  if (hasIds || isNew) {
    const own: PdfValue = { kind: 'string', bytes: output.fingerprint(), hex: true };
    // The first ID stays, because the key of an encrypted file depends on it; the second identifies this revision.
    dict.set('ID', [hasIds ? (ids[0] as PdfValue) : own, own]);
  } else if (ids !== undefined) dict.set('ID', ids);
  return dict;
}

function consecutive(entries: ReadonlyMap<number, WrittenEntry>): [number, WrittenEntry][][] {
  const runs: [number, WrittenEntry][][] = [];
  for (const entry of [...entries].sort(([a], [b]) => a - b)) {
    const run = runs.at(-1);
    if (run && run.at(-1)![0] + 1 === entry[0]) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}
