import { isKeyword, isName, isSpace, type Parser, type PdfDict, type PdfValue } from '@burnish/pdf';

export interface InlineImage {
  width: number;
  height: number;
  stencil: boolean;
}

const LOOK_AHEAD_BYTES = 16;

/** Reads an inline image after its `BI` (ISO 32000-1 section 8.9.7) and advances past its `EI`. @throws EndOfInput */
export function readInlineImage(parser: Parser, bytes: Buffer): InlineImage {
  const dict: PdfDict = new Map();
  for (;;) {
    const key = parser.next();
    if (isKeyword(key)) {
      if (key.value === 'ID') break;
      continue;
    }
    if (!isName(key)) continue;
    const value = parser.next();
    if (isKeyword(value)) {
      if (value.value === 'ID') break;
      continue;
    }
    dict.set(key.value, value);
  }
  parser.position = endOfData(bytes, parser.position + 1, exactLength(dict));
  const either = (long: string, short: string): PdfValue => dict.get(long) ?? dict.get(short) ?? null;
  const side = (value: PdfValue): number => (typeof value === 'number' && value > 0 ? value : 0);
  return {
    width: side(either('Width', 'W')),
    height: side(either('Height', 'H')),
    stencil: either('ImageMask', 'IM') === true,
  };
}

/** Returns the bytes of unfiltered data, computed from the dictionary; 0 if the dictionary does not define them. */
function exactLength(dict: PdfDict): number {
  if (dict.has('F') || dict.has('Filter')) return 0;
  const [width, height] = [dict.get('W') ?? dict.get('Width'), dict.get('H') ?? dict.get('Height')];
  if (typeof width !== 'number' || typeof height !== 'number') return 0;
  if ((dict.get('IM') ?? dict.get('ImageMask')) === true) return Math.ceil(width / 8) * height;
  const bits = dict.get('BPC') ?? dict.get('BitsPerComponent');
  const space = dict.get('CS') ?? dict.get('ColorSpace');
  const components = isName(space) ? COMPONENTS[space.value] : undefined;
  return components === undefined || typeof bits !== 'number' ? 0 : Math.ceil((width * components * bits) / 8) * height;
}

const COMPONENTS: Record<string, number> = { G: 1, DeviceGray: 1, RGB: 3, DeviceRGB: 3, CMYK: 4, DeviceCMYK: 4 };

/** Returns the position after the `EI` that ends the data: a separate word, followed by bytes that resemble content. */
function endOfData(bytes: Buffer, start: number, length: number): number {
  for (let at = bytes.indexOf('EI', start + length); at >= 0; at = bytes.indexOf('EI', at + 1)) {
    const free = at === start || isSpace(bytes[at - 1]) || at === start + length;
    const after = bytes[at + 2];
    if (free && (after === undefined || isSpace(after)) && isText(bytes.subarray(at + 2, at + 2 + LOOK_AHEAD_BYTES)))
      return at + 2;
  }
  return bytes.length;
}

function isText(bytes: Buffer): boolean {
  return bytes.every((byte) => isSpace(byte) || (byte >= 0x20 && byte < 0x7f));
}
