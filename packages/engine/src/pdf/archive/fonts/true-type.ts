import { UnreadableFont, type GlyphSource } from './glyph-source.ts';

type Lookup = (code: number) => number | undefined;

/** Reads widths and tables of characters of a TrueType font (ISO/IEC 14496-22). @throws UnreadableFont; RangeError */
export function readTrueType(data: Buffer): GlyphSource {
  const tables = new Map<string, Buffer>();
  const count = data.readUInt16BE(4);
  for (let k = 0; k < count; k += 1) {
    const at = 12 + 16 * k;
    const [start, length] = [data.readUInt32BE(at + 8), data.readUInt32BE(at + 12)];
    tables.set(data.toString('latin1', at, at + 4), data.subarray(start, start + length));
  }
  const table = (tag: string): Buffer => {
    const found = tables.get(tag);
    if (found === undefined) throw new UnreadableFont(`The font has no table ${tag}.`);
    return found;
  };
  const units = table('head').readUInt16BE(18);
  const glyphs = table('maxp').readUInt16BE(4);
  const measured = table('hhea').readUInt16BE(34);
  const metrics = table('hmtx');
  if (units === 0 || measured === 0 || !tables.has('glyf')) throw new UnreadableFont('The font has no outlines.');
  const characters = tables.has('cmap') ? readCharacters(table('cmap')) : new Map<string, Lookup>();
  return {
    widthOfName: () => undefined,
    widthOfNumber: (glyph) =>
      glyph < glyphs ? (metrics.readUInt16BE(4 * Math.min(glyph, measured - 1)) * 1000) / units : undefined,
    glyphOf: (platform, encoding, code) => characters.get(`${platform},${encoding}`)?.(code),
    tables: [...characters.keys()],
  };
}

function readCharacters(cmap: Buffer): Map<string, Lookup> {
  const found = new Map<string, Lookup>();
  const count = cmap.readUInt16BE(2);
  for (let k = 0; k < count; k += 1) {
    const at = 4 + 8 * k;
    const key = `${cmap.readUInt16BE(at)},${cmap.readUInt16BE(at + 2)}`;
    found.set(key, lookupIn(cmap.subarray(cmap.readUInt32BE(at + 4))));
  }
  return found;
}

function lookupIn(table: Buffer): Lookup {
  switch (table.readUInt16BE(0)) {
    case 0:
      return (code) => (code < 256 ? table.readUInt8(6 + code) || undefined : undefined);
    case 4:
      return (code) => inSegments(table, code);
    case 6: {
      const [first, count] = [table.readUInt16BE(6), table.readUInt16BE(8)];
      return (code) =>
        code >= first && code < first + count ? table.readUInt16BE(10 + 2 * (code - first)) || undefined : undefined;
    }
    default:
      throw new UnreadableFont('The font has a table of characters in another format.');
  }
}

/** Format 4: segments of codes with a difference, or with a list of glyphs. */
function inSegments(table: Buffer, code: number): number | undefined {
  const doubled = table.readUInt16BE(6);
  for (let k = 0; k < doubled; k += 2) {
    if (code > table.readUInt16BE(14 + k)) continue;
    const first = table.readUInt16BE(16 + doubled + k);
    if (code < first) return undefined;
    const difference = table.readUInt16BE(16 + 2 * doubled + k);
    const place = 16 + 3 * doubled + k;
    const offset = table.readUInt16BE(place);
    const glyph = offset === 0 ? code : table.readUInt16BE(place + offset + 2 * (code - first));
    return glyph === 0 ? undefined : (glyph + difference) & 0xffff || undefined;
  }
  return undefined;
}
