import { isKeyword, type PdfValue } from '../syntax/objects.ts';
import { EndOfInput, SyntaxFault, createParser } from '../syntax/parser.ts';

/** An inflated object stream (ISO 32000-1 section 7.5.7). */
export interface ObjectStream {
  /** Inflated bytes */
  size: number;
  /** Object numbers in their order */
  numbers: number[];
  /** The object at `index`, or the one with `number` if another object is at `index`. */
  get(number: number, index: number): PdfValue;
}

/**
 * @param count its `N`; a larger one than there are pairs does no harm
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
