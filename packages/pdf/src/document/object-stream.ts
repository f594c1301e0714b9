import { isKeyword, type PdfValue } from '../syntax/objects.ts';
import { EndOfInput, SyntaxFault, createParser } from '../syntax/parser.ts';

/** A decompressed object stream (ISO 32000-1 section 7.5.7). */
export interface ObjectStream {
  /** Decompressed bytes */
  size: number;
  /** Object numbers in stream order */
  numbers: number[];
  /** Returns the object at `index`; if another object is there, the one with `number`. */
  get(number: number, index: number): PdfValue;
}

/**
 * Opens an object stream from its decompressed data.
 * @param count its `N`; a value above the number of pairs is harmless
 * @param first its `First`, bytes
 */
export function openObjectStream(data: Buffer, count: number, first: number): ObjectStream {
  const numbers: number[] = [];
  const offsets: number[] = [];
  const header = createParser(data.subarray(0, Math.max(0, first)), { references: false });
  try {
    for (let i = 0; i < count; i += 1) {
      const [number, offset] = [header.next(), header.next()];
      if (typeof number !== 'number' || typeof offset !== 'number') break;
      numbers.push(number);
      offsets.push(offset);
    }
  } catch (error) {
    if (!(error instanceof EndOfInput)) throw error;
  }
  return {
    size: data.length,
    numbers,
    get(number, index) {
      const place = numbers[index] === number ? index : numbers.indexOf(number);
      const offset = offsets[place];
      if (offset === undefined) return null;
      try {
        const value = createParser(data, { position: first + offset }).next();
        return isKeyword(value) ? null : value;
      } catch (error) {
        if (error instanceof EndOfInput || error instanceof SyntaxFault) return null;
        throw error;
      }
    },
  };
}
