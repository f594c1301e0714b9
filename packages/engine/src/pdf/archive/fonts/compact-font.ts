import { widthDifference, type Subroutines } from './char-string-width.ts';
import { UnreadableFont, type GlyphSource } from './glyph-source.ts';
import { STANDARD_ENCODING, STANDARD_STRING_COUNT, STANDARD_STRINGS } from './latin-names.ts';

type Dict = ReadonlyMap<number, readonly number[]>;

/** Operators of dictionaries (Adobe technical note 5176 tables 9 and 23); 12 begins those of two bytes. */
const OPERATORS = {
  charset: 15,
  encoding: 16,
  charStrings: 17,
  private: 18,
  subroutines: 19,
  defaultWidth: 20,
  nominalWidth: 21,
  matrix: 1207,
  registry: 1230,
  fonts: 1236,
  select: 1237,
} as const;

/** Characters of real numbers by half byte (table 5); 15 ends a number. */
const REAL = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '.', 'E', 'E-', '?', '-'];

interface Widths extends Subroutines {
  usual: number;
  nominal: number;
}

/** Reads widths and names of a compact font (CFF; Adobe technical note 5176). @throws UnreadableFont; RangeError */
export function readCompactFont(data: Buffer): GlyphSource {
  const names = readIndex(data, data.readUInt8(2));
  const tops = readIndex(data, names.end);
  const strings = readIndex(data, tops.end);
  const global = readIndex(data, strings.end).items;
  const top = readDict(tops.items[0] ?? Buffer.alloc(0));
  const glyphs = readIndex(data, offsetIn(top, OPERATORS.charStrings)).items;
  const isCid = top.has(OPERATORS.registry);
  const matrix = top.get(OPERATORS.matrix);
  if (matrix !== undefined && Math.abs(matrix[0]! - 0.001) > 1e-6)
    throw new UnreadableFont('The font has other units.');
  const identifiers = readCharset(data, top.get(OPERATORS.charset)?.[0] ?? 0, glyphs.length, isCid);
  const widthsOf = isCid ? readFonts(data, top, global, glyphs.length) : constant(readPrivate(data, top, global));
  const widthOf = (glyph: number | undefined): number | undefined => {
    if (glyph === undefined || glyphs[glyph] === undefined) return undefined;
    const { usual, nominal, ...subroutines } = widthsOf(glyph);
    const difference = widthDifference(glyphs[glyph], subroutines);
    return difference === undefined ? usual : nominal + difference;
  };
  const places = new Map(identifiers.map((identifier, glyph) => [identifier, glyph]));
  if (isCid) return { widthOfName: () => undefined, widthOfNumber: (cid) => widthOf(places.get(cid)) };
  const nameOf = (identifier: number): string =>
    identifier < STANDARD_STRING_COUNT
      ? (STANDARD_STRINGS[identifier] ?? `standard string ${identifier}`)
      : (strings.items[identifier - STANDARD_STRING_COUNT]?.toString('latin1') ?? '');
  const glyphNames = identifiers.map(nameOf);
  const byName = new Map(glyphNames.map((each, glyph) => [each, glyph]));
  return {
    widthOfName: (wanted) => widthOf(byName.get(wanted)),
    widthOfNumber: widthOf,
    encoding: readEncoding(data, top.get(OPERATORS.encoding)?.[0] ?? 0, glyphNames),
  };
}

const constant =
  <T>(value: T) =>
  (): T =>
    value;

function offsetIn(dict: Dict, operator: number): number {
  const offset = dict.get(operator)?.at(-1);
  if (offset === undefined) throw new UnreadableFont('The font lacks a part.');
  return offset;
}

function readIndex(data: Buffer, at: number): { items: Buffer[]; end: number } {
  const count = data.readUInt16BE(at);
  if (count === 0) return { items: [], end: at + 2 };
  const size = data.readUInt8(at + 2);
  const base = at + 2 + (count + 1) * size;
  const offset = (k: number): number => base + data.readUIntBE(at + 3 + k * size, size);
  const items = Array.from({ length: count }, (_, k) => data.subarray(offset(k), offset(k + 1)));
  return { items, end: offset(count) };
}

function readDict(data: Buffer): Dict {
  const dict = new Map<number, number[]>();
  let operands: number[] = [];
  for (let at = 0; at < data.length;) {
    const byte = data[at]!;
    if (byte <= 21) {
      dict.set(byte === 12 ? 1200 + data.readUInt8(at + 1) : byte, operands);
      operands = [];
      at += byte === 12 ? 2 : 1;
    } else if (byte === 30) {
      const end = data.findIndex((each, k) => k > at && ((each & 15) === 15 || each >> 4 === 15));
      if (end < 0) throw new UnreadableFont('A number of the font has no end.');
      const digits = [...data.subarray(at + 1, end + 1)].flatMap((each) => [each >> 4, each & 15]);
      const text = digits.map((digit) => REAL[digit] ?? '').join('');
      // Other readers refuse a number without digits, and so the font.
      if (text === '' || Number.isNaN(Number(text))) throw new UnreadableFont('A number of the font is damaged.');
      operands.push(Number(text));
      at = end + 1;
    } else {
      const [value, size] =
        byte === 28
          ? [data.readInt16BE(at + 1), 3]
          : byte === 29
            ? [data.readInt32BE(at + 1), 5]
            : byte < 247
              ? [byte - 139, 1]
              : byte < 251
                ? [(byte - 247) * 256 + data.readUInt8(at + 1) + 108, 2]
                : [-(byte - 251) * 256 - data.readUInt8(at + 1) - 108, 2];
      operands.push(value);
      at += size;
    }
  }
  return dict;
}

/** Identifiers of strings by glyph, or CIDs. */
function readCharset(data: Buffer, offset: number, glyphs: number, isCid: boolean): number[] {
  if (offset <= 2) {
    if (offset > 0 || isCid) throw new UnreadableFont('The font has a charset of experts.');
    return Array.from({ length: glyphs }, (_, k) => k);
  }
  const identifiers = [0];
  const format = data.readUInt8(offset);
  for (let at = offset + 1; identifiers.length < glyphs;) {
    const first = data.readUInt16BE(at);
    const left = format === 0 ? 0 : format === 1 ? data.readUInt8(at + 2) : data.readUInt16BE(at + 2);
    for (let k = 0; k <= left && identifiers.length < glyphs; k += 1) identifiers.push(first + k);
    at += format === 0 ? 2 : format === 1 ? 3 : 4;
  }
  return identifiers;
}

function readPrivate(data: Buffer, dict: Dict, global: readonly Buffer[]): Widths {
  const [size = 0, offset = 0] = dict.get(OPERATORS.private) ?? [];
  const own = readDict(data.subarray(offset, offset + size));
  const subroutines = own.get(OPERATORS.subroutines)?.[0];
  return {
    own: subroutines === undefined ? [] : readIndex(data, offset + subroutines).items,
    global,
    usual: own.get(OPERATORS.defaultWidth)?.[0] ?? 0,
    nominal: own.get(OPERATORS.nominalWidth)?.[0] ?? 0,
  };
}

/** The widths of each glyph of a font of several (CID-keyed). */
function readFonts(data: Buffer, top: Dict, global: readonly Buffer[], glyphs: number): (glyph: number) => Widths {
  const dicts = readIndex(data, offsetIn(top, OPERATORS.fonts)).items.map(readDict);
  if (
    dicts.some(
      (dict) =>
        dict.has(OPERATORS.matrix) &&
        dict.get(OPERATORS.matrix)![0] !== 1 &&
        Math.abs(dict.get(OPERATORS.matrix)![0]! - 0.001) > 1e-6,
    )
  )
    throw new UnreadableFont('The font has other units.');
  const fonts = dicts.map((dict) => readPrivate(data, dict, global));
  const at = offsetIn(top, OPERATORS.select);
  const chosen = data.readUInt8(at) === 0 ? [...data.subarray(at + 1, at + 1 + glyphs)] : readRanges(data, at, glyphs);
  return (glyph) => {
    const font = fonts[chosen[glyph] ?? -1];
    if (font === undefined) throw new UnreadableFont('A glyph belongs to no font.');
    return font;
  };
}

function readRanges(data: Buffer, at: number, glyphs: number): number[] {
  const count = data.readUInt16BE(at + 1);
  const chosen: number[] = [];
  for (let k = 0; k < count; k += 1) {
    const from = at + 3 + 3 * k;
    const end = Math.min(glyphs, data.readUInt16BE(from + 3));
    while (chosen.length < end) chosen.push(data.readUInt8(from + 2));
  }
  return chosen;
}

function readEncoding(data: Buffer, offset: number, names: readonly string[]): ReadonlyMap<number, string> {
  if (offset === 0) return STANDARD_ENCODING;
  if (offset === 1) throw new UnreadableFont('The font has an encoding of experts.');
  const encoding = new Map<number, string>();
  const format = data.readUInt8(offset) & 0x7f;
  if (data.readUInt8(offset) >= 0x80) throw new UnreadableFont('The font has several codes for a glyph.');
  const count = data.readUInt8(offset + 1);
  let glyph = 1;
  for (let k = 0; k < count; k += 1) {
    const at = offset + 2 + k * (format === 0 ? 1 : 2);
    const [first, left] = [data.readUInt8(at), format === 0 ? 0 : data.readUInt8(at + 1)];
    for (let code = first; code <= first + left; code += 1, glyph += 1) encoding.set(code, names[glyph] ?? '');
  }
  return encoding;
}
