import { CHARACTER_CLASS, hexValue, isDigit, toNumber } from './characters.ts';
import { isKeyword, type PdfDict, type PdfKeyword, type PdfValue } from './objects.ts';
import { readHexString, readLiteralString } from './strings.ts';

/** The bytes end inside a token or an object, which may be complete in a longer window. */
export class EndOfInput extends Error {}
/** Created once and without a stack trace, since it is thrown often and its stack is never read. */
const END_OF_INPUT = new EndOfInput();
/** The bytes are not valid PDF syntax. */
export class SyntaxFault extends Error {}

/** Maximum nesting of arrays and dictionaries; deeper ones count as damage. */
const MAX_NESTING = 200;

export interface Parser {
  /** Index of the next unread byte */
  position: number;
  next(): PdfValue | PdfKeyword;
  skipSpace(): void;
}

/**
 * Parses ISO 32000-1 syntax in memory. It tolerates the same faults as other readers (a lone `>`, a repeated sign) and
 * limits the nesting.
 * @param final whether the data ends with these bytes; otherwise a token at their end counts as truncated
 * @param references whether `1 0 R` is a reference (in files), or three tokens (in content streams)
 */
export function createParser(bytes: Buffer, { position = 0, final = true, references = true } = {}): Parser {
  const end = bytes.length;
  const parser: Parser = { position, next: () => parse(0), skipSpace };

  function skipSpace(): void {
    let at = parser.position;
    for (; at < end; at += 1) {
      const byte = bytes[at] as number;
      if (byte === 0x25) {
        while (at < end && bytes[at] !== 10 && bytes[at] !== 13) at += 1;
      } else if (CHARACTER_CLASS[byte] !== 1) break;
    }
    parser.position = Math.min(at, end);
  }

  /** Returns the position after a run of regular characters. */
  function endOfWord(from: number): number {
    let at = from;
    while (at < end && CHARACTER_CLASS[bytes[at] as number] === 0) at += 1;
    if (at === end && !final) throw END_OF_INPUT;
    return at;
  }

  function parse(depth: number): PdfValue | PdfKeyword {
    if (depth > MAX_NESTING) throw new SyntaxFault('objects are nested too deeply');
    skipSpace();
    if (parser.position >= end) throw END_OF_INPUT;
    const byte = bytes[parser.position] as number;
    if (isDigit(byte) || byte === 0x2b || byte === 0x2d || byte === 0x2e) return parseNumber();
    switch (byte) {
      case 0x2f:
        return { kind: 'name', value: parseName() };
      case 0x28:
        return parseLiteralString();
      case 0x5b:
        return parseArray(depth);
      case 0x3c:
        if (bytes[parser.position + 1] === 0x3c) return parseDict(depth);
        return parseString(readHexString(bytes, parser.position + 1), true);
      default:
        return parseWord();
    }
  }

  function parseWord(): PdfValue | PdfKeyword {
    const start = parser.position;
    const stop = endOfWord(start);
    if (stop === start) {
      // Returns a closing delimiter, single or double; the caller decides whether it is valid there.
      const double = bytes[start] === 0x3e && bytes[start + 1] === 0x3e;
      parser.position = start + (double ? 2 : 1);
      return { kind: 'keyword', value: double ? '>>' : String.fromCharCode(bytes[start] as number) };
    }
    parser.position = stop;
    const value = bytes.toString('latin1', start, Math.min(stop, start + 128));
    if (value === 'true') return true;
    if (value === 'false') return false;
    if (value === 'null') return null;
    return { kind: 'keyword', value };
  }

  function parseName(): string {
    const start = parser.position + 1;
    const stop = endOfWord(start);
    parser.position = stop;
    const raw = bytes.toString('latin1', start, stop);
    if (!raw.includes('#')) return raw;
    return raw.replace(/#([0-9a-fA-F]{2})/g, (_, digits: string) =>
      String.fromCharCode(hexValue(digits.charCodeAt(0)) * 16 + hexValue(digits.charCodeAt(1))),
    );
  }

  /**
   * In a file, a string that extends beyond its object is unterminated. Its opening parenthesis then counts as a
   * keyword.
   */
  function parseLiteralString(): PdfValue | PdfKeyword {
    const from = parser.position + 1;
    const read = readLiteralString(bytes, from);
    const doesReachOut = references && bytes.subarray(from, read?.end).includes('endobj');
    if (!doesReachOut) return parseString(read, false);
    parser.position = from;
    return { kind: 'keyword', value: '(' };
  }

  function parseString(read: { value: Buffer; end: number } | undefined, hex: boolean): PdfValue {
    if (read === undefined) {
      parser.position = end;
      throw END_OF_INPUT;
    }
    parser.position = read.end;
    return { kind: 'string', bytes: read.value, hex };
  }

  function parseNumber(): PdfValue | PdfKeyword {
    const start = parser.position;
    const stop = endOfWord(start);
    const value = toNumber(bytes, start, stop);
    if (value === undefined) return parseWord();
    parser.position = stop;
    if (!references || value < 0 || !isDigit(bytes[start]) || !Number.isInteger(value)) return value;
    return parseReference(value) ?? value;
  }

  /** Parses `generation R` after a number; without a match, the position does not change. */
  function parseReference(number: number): PdfValue | undefined {
    const start = parser.position;
    skipSpace();
    let at = parser.position;
    let generation = 0;
    for (; at < end && isDigit(bytes[at]) && at - parser.position < 6; at += 1)
      generation = generation * 10 + (bytes[at] as number) - 0x30;
    if (at > parser.position) {
      parser.position = at;
      skipSpace();
      if (parser.position > at && bytes[parser.position] === 0x52) {
        const stop = endOfWord(parser.position);
        if (stop === parser.position + 1) {
          parser.position = stop;
          return { kind: 'ref', number, generation };
        }
      }
    }
    if (parser.position >= end && !final) throw END_OF_INPUT;
    parser.position = start;
    return undefined;
  }

  function parseArray(depth: number): PdfValue {
    parser.position += 1;
    const items: PdfValue[] = [];
    for (;;) {
      const item = parse(depth + 1);
      if (!isKeyword(item)) items.push(item);
      else if (item.value === ']') return items;
      else if (item.value === '>>' || endsObject(item)) return endedEarly(items, item);
    }
  }

  function parseDict(depth: number): PdfValue {
    parser.position += 2;
    const dict: PdfDict = new Map();
    for (;;) {
      skipSpace();
      if (parser.position >= end) throw END_OF_INPUT;
      if (bytes[parser.position] !== 0x2f) {
        const item = parse(depth + 1);
        if (!isKeyword(item)) continue;
        if (item.value === '>>') return dict;
        if (endsObject(item)) return endedEarly(dict, item);
        continue;
      }
      const key = parseName();
      const value = parse(depth + 1);
      if (!isKeyword(value)) dict.set(key, value);
      else if (value.value === '>>') return dict;
      else if (endsObject(value)) return endedEarly(dict, value);
    }
  }

  /**
   * An unterminated value ends with its container, as in other readers: the container loses one entry and stays
   * readable.
   */
  function endedEarly<T>(value: T, word: PdfKeyword): T {
    parser.position -= word.value.length;
    return value;
  }

  return parser;
}

/** Returns whether a keyword occurs only after an object; content streams do not use these. */
function endsObject({ value }: PdfKeyword): boolean {
  return value === 'endobj' || value === 'stream';
}
