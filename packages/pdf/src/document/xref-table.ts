import type { ByteSource } from '../syntax/byte-source.ts';
import { isWord, parseInWindow } from '../syntax/indirect-object.ts';
import { PDF_LIMITS } from '../limits.ts';
import { isDict, type PdfDict } from '../syntax/objects.ts';
import { SyntaxFault } from '../syntax/parser.ts';
import type { XrefIndex } from './xref-index.ts';

/**
 * Bytes of an entry: ten digits, five digits, `n` or `f`, each followed by a space, and an end-of-line marker of two
 * bytes.
 */
const ENTRY_BYTES = 20;
const CHUNK_ENTRIES = 50_000;

/**
 * Reads a classic table (ISO 32000-1 section 7.5.4) into the index.
 * @returns its trailer dictionary, and the numbers of its free entries: the stream of a hybrid file may define those
 * objects
 * @throws SyntaxFault when it is malformed
 */
export function readXrefTable(
  source: ByteSource,
  offset: number,
  index: XrefIndex,
): { trailer: PdfDict; free: number[] } {
  const free: number[] = [];
  let at = parseInWindow(source, offset, (parser) => {
    if (!isWord(parser.next(), 'xref')) throw new SyntaxFault('no table stands here');
    return offset + parser.position;
  });
  for (;;) {
    const head = parseInWindow(source, at, (parser) => {
      const start = parser.next();
      if (isWord(start, 'trailer')) return { trailer: parser.next() };
      const count = parser.next();
      parser.skipSpace();
      return { start, count, entries: at + parser.position };
    });
    if ('trailer' in head) {
      if (!isDict(head.trailer)) throw new SyntaxFault('the trailer is no dictionary');
      return { trailer: head.trailer, free };
    }
    const { start, count, entries } = head;
    if (
      typeof start !== 'number' ||
      typeof count !== 'number' ||
      start < 0 ||
      count < 0 ||
      count > PDF_LIMITS.objectNumber.max + 1
    ) {
      throw new SyntaxFault('a subsection does not say what it holds');
    }
    at =
      readStrictEntries(source, entries, start, count, index, free) ??
      readLooseEntries(source, entries, start, count, index, free);
  }
}

/**
 * Reads entries of exactly 20 bytes, the form of nearly every writer. @returns the offset of their end, or undefined
 * when an entry has another form
 */
function readStrictEntries(
  source: ByteSource,
  offset: number,
  start: number,
  count: number,
  index: XrefIndex,
  free: number[],
): number | undefined {
  // The first entry is checked before any entry is set, so that the loose parser reads a table of another form from
  // its start.
  let base = start;
  for (let done = 0; done < count; done += CHUNK_ENTRIES) {
    const wanted = Math.min(CHUNK_ENTRIES, count - done);
    const bytes = source.read(offset + done * ENTRY_BYTES, wanted * ENTRY_BYTES);
    // The last end-of-line marker may lack one byte.
    if (bytes.length < wanted * ENTRY_BYTES - 1) return undefined;
    for (let i = 0; i < wanted; i += 1) {
      const at = i * ENTRY_BYTES;
      const type = bytes[at + 17];
      if (bytes[at + 10] !== 0x20 || bytes[at + 16] !== 0x20 || (type !== 0x6e && type !== 0x66)) return undefined;
      const [first, generation] = [digits(bytes, at, 10), digits(bytes, at + 11, 5)];
      if (first === undefined || generation === undefined) return undefined;
      if (done + i === 0) base = firstNumber(start, type === 0x66, generation);
      if (type === 0x6e && first > 0) index.setOffset(base + done + i, first, generation);
      else free.push(base + done + i);
    }
  }
  return offset + count * ENTRY_BYTES;
}

function readLooseEntries(
  source: ByteSource,
  offset: number,
  start: number,
  count: number,
  index: XrefIndex,
  free: number[],
): number {
  return parseInWindow(source, offset, (parser) => {
    let base = start;
    for (let i = 0; i < count; i += 1) {
      const [first, generation, type] = [parser.next(), parser.next(), parser.next()];
      if (typeof first !== 'number' || typeof generation !== 'number')
        throw new SyntaxFault('an entry holds no numbers');
      const isFree = isWord(type, 'f');
      if (!isFree && !isWord(type, 'n')) throw new SyntaxFault('an entry is neither used nor free');
      if (i === 0) base = firstNumber(start, isFree, generation);
      if (!isFree && first > 0) index.setOffset(base + i, first, generation);
      else free.push(base + i);
    }
    return offset + parser.position;
  });
}

/** Some writers start at 1 but list object 0, the only free entry with generation 65535. */
function firstNumber(start: number, free: boolean, generation: number): number {
  return start === 1 && free && generation === 65_535 ? 0 : start;
}

function digits(bytes: Buffer, at: number, length: number): number | undefined {
  let value = 0;
  for (let i = at; i < at + length; i += 1) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}
