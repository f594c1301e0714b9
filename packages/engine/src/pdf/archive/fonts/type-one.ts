import { UnreadableFont, type GlyphSource } from './glyph-source.ts';
import { STANDARD_ENCODING } from './latin-names.ts';

/** Keys of the encryption of a Type 1 font (Adobe Type 1 Font Format, sections 7.1 and 7.3). */
const KEYS = { file: 55_665, glyph: 4_330 } as const;
const FILE_LEAD = 4;
const MAX_ENTRIES = 65_536;

/** Reads widths, names and the encoding of a Type 1 font. @throws UnreadableFont; RangeError */
export function readTypeOne(data: Buffer): GlyphSource {
  const at = data.indexOf('eexec');
  if (at < 0) throw new UnreadableFont('The font has no encrypted part.');
  const clear = data.toString('latin1', 0, at);
  const matrix = /\/FontMatrix\s*\[\s*([\d.eE+-]+)/.exec(clear);
  if (matrix !== null && Math.abs(Number(matrix[1]) - 0.001) > 1e-6)
    throw new UnreadableFont('The font has other units.');
  let start = at + 'eexec'.length;
  while ([9, 10, 13, 32].includes(data[start] ?? 0)) start += 1;
  const isHex = /^[0-9A-Fa-f\s]{8}/.test(data.toString('latin1', start, start + 8));
  const coded = isHex ? Buffer.from(data.toString('latin1', start).replace(/\s/g, ''), 'hex') : data.subarray(start);
  const plain = decrypt(coded, KEYS.file).subarray(FILE_LEAD);
  const lead = Number(/\/lenIV\s+(\d+)/.exec(plain.toString('latin1', 0, 4096))?.[1] ?? 4);
  const glyphs = readGlyphs(plain, lead);
  return {
    widthOfName: (wanted) => {
      const glyph = glyphs.get(wanted);
      return glyph && widthOf(glyph);
    },
    widthOfNumber: () => undefined,
    encoding: readEncoding(clear),
  };
}

function decrypt(data: Buffer, key: number): Buffer {
  const plain = Buffer.alloc(data.length);
  let state = key;
  for (let k = 0; k < data.length; k += 1) {
    plain[k] = data[k]! ^ (state >> 8);
    state = ((data[k]! + state) * 52_845 + 22_719) & 0xffff;
  }
  return plain;
}

function readGlyphs(plain: Buffer, lead: number): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const text = plain.toString('latin1');
  const from = text.indexOf('/CharStrings');
  if (from < 0) throw new UnreadableFont('The font has no glyphs.');
  const entry = /\/(\S+)\s+(\d+)\s+(?:RD|-\|)\s/g;
  entry.lastIndex = from + '/CharStrings'.length;
  for (let match = entry.exec(text); match !== null && found.size < MAX_ENTRIES; match = entry.exec(text)) {
    const length = Number(match[2]);
    found.set(match[1]!, decrypt(plain.subarray(entry.lastIndex, entry.lastIndex + length), KEYS.glyph).subarray(lead));
    entry.lastIndex += length;
  }
  return found;
}

/** Returns the width that a glyph sets first, by `hsbw` or `sbw` (section 6.4). */
function widthOf(glyph: Buffer): number {
  const stack: number[] = [];
  for (let at = 0; at < glyph.length;) {
    const byte = glyph[at]!;
    if (byte === 13) return stack[1] ?? fail();
    if (byte === 12 && glyph[at + 1] === 7) return stack[2] ?? fail();
    if (byte === 12 && glyph[at + 1] === 12) {
      const [over = 1, value = 0] = [stack.pop(), stack.pop()];
      stack.push(value / over);
      at += 2;
    } else if (byte === 255) {
      stack.push(glyph.readInt32BE(at + 1));
      at += 5;
    } else if (byte >= 247) {
      const next = glyph.readUInt8(at + 1);
      stack.push(byte < 251 ? (byte - 247) * 256 + next + 108 : -(byte - 251) * 256 - next - 108);
      at += 2;
    } else if (byte >= 32) {
      stack.push(byte - 139);
      at += 1;
    } else return fail();
  }
  return fail();
}

function fail(): never {
  throw new UnreadableFont('A glyph sets no width.');
}

function readEncoding(clear: string): ReadonlyMap<number, string> {
  if (/\/Encoding\s+StandardEncoding/.test(clear)) return STANDARD_ENCODING;
  const entries = clear.matchAll(/\bdup\s+(\d+)\s*\/(\S+)\s+put\b/g);
  return new Map([...entries].map(([, code, name]) => [Number(code), name!] as const));
}
