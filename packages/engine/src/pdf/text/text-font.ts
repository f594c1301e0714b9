import { deflateSync } from 'node:zlib';
import { name, ref, type AddedObject, type PdfRef, type PdfString, type PdfValue } from '@burnish/pdf';

/** Width of every glyph, em. */
export const GLYPH_WIDTH = 0.5;
/** Heights of the boxes of words above and below their baseline, thousandths of an em: those of most letters. */
const [ASCENT, DESCENT] = [700, -200];

/** Entries in one block of a CMap (Adobe technical note 5014). */
const BLOCK = 100;

/** A font without outlines for invisible text: its glyphs mean characters, and nothing draws them. */
export interface TextFont {
  /** Returns the code of a character in hexadecimal, for a string of the content. */
  codeOf(character: string): string;
  /** Returns the objects of the font, once all characters have their codes. @param first number of the first of them */
  objects(first: number): { font: PdfRef; added: AddedObject[] };
}

/**
 * A composite font of two-byte codes (ISO 32000-1 section 9.7) that is not embedded, which PDF/A permits for invisible text. Each
 * character of the file gets the next code, so that those beyond the Basic Multilingual Plane need no pairs.
 */
export function createTextFont(): TextFont {
  const codes = new Map<string, number>();
  return {
    codeOf(character) {
      let code = codes.get(character);
      if (code === undefined) codes.set(character, (code = (codes.size % 0xffff) + 1));
      return toHex(code);
    },
    objects(first) {
      const [font, descendant, descriptor, unicode] = [0, 1, 2, 3].map((k) => ref(first + k)) as [
        PdfRef,
        PdfRef,
        PdfRef,
        PdfRef,
      ];
      const base = name('GlyphLess');
      const dict = (entries: Record<string, PdfValue>): PdfValue => new Map(Object.entries(entries));
      const text = (value: string): PdfString => ({ kind: 'string', bytes: Buffer.from(value, 'latin1'), hex: false });
      const system = dict({ Registry: text('Adobe'), Ordering: text('Identity'), Supplement: 0 });
      const added: AddedObject[] = [
        {
          number: font.number,
          value: dict({
            Type: name('Font'),
            Subtype: name('Type0'),
            BaseFont: base,
            Encoding: name('Identity-H'),
            DescendantFonts: [descendant],
            ToUnicode: unicode,
          }),
        },
        {
          number: descendant.number,
          value: dict({
            Type: name('Font'),
            Subtype: name('CIDFontType2'),
            BaseFont: base,
            CIDSystemInfo: system,
            FontDescriptor: descriptor,
            DW: GLYPH_WIDTH * 1000,
          }),
        },
        {
          number: descriptor.number,
          value: dict({
            Type: name('FontDescriptor'),
            FontName: base,
            // Fixed pitch, symbolic
            Flags: 5,
            FontBBox: [0, DESCENT, GLYPH_WIDTH * 1000, ASCENT],
            ItalicAngle: 0,
            Ascent: ASCENT,
            Descent: DESCENT,
            CapHeight: ASCENT,
            StemV: 80,
          }),
        },
        {
          number: unicode.number,
          dict: new Map<string, PdfValue>([['Filter', name('FlateDecode')]]),
          data: () => deflateSync(toUnicode(codes), { level: 9 }),
        },
      ];
      return { font, added };
    },
  };
}

const toHex = (code: number): string => code.toString(16).padStart(4, '0');

const toUtf16 = (character: string): string =>
  Array.from({ length: character.length }, (_, k) => toHex(character.charCodeAt(k))).join('');

/** The CMap from codes to Unicode (ISO 32000-1 section 9.10.3). */
function toUnicode(codes: ReadonlyMap<string, number>): string {
  const entries = [...codes].map(([character, code]) => `<${toHex(code)}> <${toUtf16(character)}>`);
  const blocks = Array.from({ length: Math.ceil(entries.length / BLOCK) }, (_, k) =>
    entries.slice(k * BLOCK, (k + 1) * BLOCK),
  );
  return [
    '/CIDInit /ProcSet findresource begin',
    '12 dict begin',
    'begincmap',
    '/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def',
    '/CMapName /Adobe-Identity-UCS def',
    '/CMapType 2 def',
    '1 begincodespacerange',
    '<0000> <FFFF>',
    'endcodespacerange',
    ...blocks.flatMap((block) => [`${block.length} beginbfchar`, ...block, 'endbfchar']),
    'endcmap',
    'CMapName currentdict /CMap defineresource pop',
    'end',
    'end',
    '',
  ].join('\n');
}
