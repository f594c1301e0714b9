import type { ByteSource } from './byte-source.ts';
import { PDF_LIMITS } from '../limits.ts';
import { limitExceeded } from '../pdf-error.ts';
import { isDict, isKeyword, type PdfKeyword, type PdfValue } from './objects.ts';
import { EndOfInput, SyntaxFault, createParser, type Parser } from './parser.ts';

export interface IndirectObject {
  number: number;
  generation: number;
  value: PdfValue;
  /** Offset of the object's header from the start of the file, bytes */
  offset: number;
}

const FIRST_WINDOW_BYTES = 2048;

/**
 * Parses a window of the file, and enlarges the window until the syntax fits.
 * @throws SyntaxFault at the end of the file; PdfError when the window exceeds the limit on one object
 */
export function parseInWindow<T>(source: ByteSource, offset: number, parse: (parser: Parser, bytes: Buffer) => T): T {
  const { max } = PDF_LIMITS.objectBytes;
  for (let length = FIRST_WINDOW_BYTES; ; length = Math.min(max, length * 8)) {
    const bytes = source.read(offset, length);
    const final = offset + bytes.length >= source.size;
    try {
      return parse(createParser(bytes, { final }), bytes);
    } catch (error) {
      if (!(error instanceof EndOfInput)) throw error;
      if (final) throw new SyntaxFault('the file ends inside an object');
      if (length >= max) throw limitExceeded('objectBytes');
    }
  }
}

/**
 * Reads the object whose `number generation obj` begins at `offset`.
 * @throws SyntaxFault when there is none
 */
export function readIndirectObject(source: ByteSource, offset: number): IndirectObject {
  return parseInWindow(source, offset, (parser, bytes) => {
    const number = parser.next();
    const generation = parser.next();
    if (typeof number !== 'number' || typeof generation !== 'number' || !isWord(parser.next(), 'obj')) {
      throw new SyntaxFault('no object stands here');
    }
    const value = parser.next();
    // `1 0 obj endobj` is the null object, as in other readers.
    if (isKeyword(value)) {
      if (value.value !== 'endobj') throw new SyntaxFault('an object begins with a bare word');
      return { number, generation, offset, value: null };
    }
    if (!isDict(value)) return { number, generation, offset, value };
    const data = streamStart(parser, bytes, offset);
    if (data === undefined) return { number, generation, offset, value };
    return { number, generation, offset, value: { kind: 'stream', dict: value, start: data, number, generation } };
  });
}

/**
 * Returns the start of the stream data when `stream` is the next word (ISO 32000-1 section 7.3.8.1; a lone CR is
 * accepted).
 */
function streamStart(parser: Parser, bytes: Buffer, offset: number): number | undefined {
  let word: PdfValue | PdfKeyword;
  try {
    word = parser.next();
  } catch (error) {
    // Bytes after a dictionary at the very end of a file are ignored.
    if (error instanceof SyntaxFault) return undefined;
    throw error;
  }
  if (!isKeyword(word) || !word.value.startsWith('stream')) return undefined;
  let at = parser.position - (word.value.length - 'stream'.length);
  while (bytes[at] === 0x20) at += 1;
  if (at + 2 > bytes.length) throw new EndOfInput();
  if (bytes[at] === 13) at += bytes[at + 1] === 10 ? 2 : 1;
  else if (bytes[at] === 10) at += 1;
  return offset + at;
}

export const isWord = (value: unknown, word: string): boolean => isKeyword(value) && value.value === word;
