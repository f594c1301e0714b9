import type { ByteSource } from './byte-source.ts';
import { isDigit, isSpace } from './characters.ts';
import { PDF_LIMITS } from '../limits.ts';

/** Result of one scan of a file with a broken cross-reference table, in file order. */
export interface Scan {
  objects: { numbers: number[]; generations: number[]; offsets: number[] };
  trailers: number[];
  objectStreams: number[];
  xrefStreams: number[];
  catalogs: number[];
}

const CHUNK_BYTES = 4_000_000;
/** Overlap of chunks: longer than any header or word of the search */
const OVERLAP_BYTES = 64;
const MAX_MARKS = 200_000;

/** Reads the file once, in memory that grows with its number of objects, not with its size. */
export function scanForObjects(source: ByteSource): Scan {
  const scan: Scan = {
    objects: { numbers: [], generations: [], offsets: [] },
    trailers: [],
    objectStreams: [],
    xrefStreams: [],
    catalogs: [],
  };
  for (let start = 0; start < source.size; start += CHUNK_BYTES) {
    const from = Math.max(0, start - OVERLAP_BYTES);
    const bytes = source.read(from, start + CHUNK_BYTES - from);
    const skip = start - from;
    findHeaders(bytes, from, skip, scan.objects);
    findWord(bytes, from, skip, 'trailer', scan.trailers);
    findWord(bytes, from, skip, '/ObjStm', scan.objectStreams);
    findWord(bytes, from, skip, '/XRef', scan.xrefStreams);
    findWord(bytes, from, skip, '/Catalog', scan.catalogs);
  }
  return scan;
}

/** Finds the offsets of a word whose last byte comes after `skip`: the previous chunk covers all earlier ones. */
function findWord(bytes: Buffer, from: number, skip: number, word: string, found: number[]): void {
  for (
    let at = bytes.indexOf(word, Math.max(0, skip - word.length + 1));
    at >= 0;
    at = bytes.indexOf(word, at + word.length)
  ) {
    if (found.length >= MAX_MARKS) return;
    found.push(from + at);
  }
}

function findHeaders(bytes: Buffer, from: number, skip: number, found: Scan['objects']): void {
  for (let at = bytes.indexOf('obj', Math.max(0, skip - 2)); at >= 0; at = bytes.indexOf('obj', at + 3)) {
    const generation = numberBefore(bytes, at);
    const number = generation && numberBefore(bytes, generation.start);
    if (!generation || !number || generation.value > 65_535 || number.value > PDF_LIMITS.objectNumber.max) continue;
    found.numbers.push(number.value);
    found.generations.push(generation.value);
    found.offsets.push(from + number.start);
  }
}

function numberBefore(bytes: Buffer, end: number): { value: number; start: number } | undefined {
  let at = end - 1;
  while (isSpace(bytes[at])) at -= 1;
  if (at === end - 1 || !isDigit(bytes[at])) return undefined;
  let value = 0;
  for (let scale = 1; isDigit(bytes[at]) && scale < 1e11; at -= 1, scale *= 10)
    value += ((bytes[at] as number) - 0x30) * scale;
  return { value, start: at + 1 };
}
