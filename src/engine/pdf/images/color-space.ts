import { UnknownFilter } from '../filters/filters.ts';
import type { PdfDocument } from '../document/pdf-document.ts';
import { isName, isStream, isString, type PdfStream, type PdfValue } from '../syntax/objects.ts';

/** What the samples of an image mean (ISO 32000-1 section 8.6), as far as it matters for changing them. */
export interface ColorSpace {
  family: 'grey' | 'rgb' | 'cmyk' | 'indexed' | 'lab' | 'separation' | 'devicen' | 'unknown';
  /** Samples a pixel */
  components: number;
}

export interface IndexedSpace extends ColorSpace {
  family: 'indexed';
  base: ColorSpace;
  /** Entries of `base.components` bytes */
  palette: Buffer;
}

const NAMED: Record<string, ColorSpace> = {
  DeviceGray: { family: 'grey', components: 1 },
  G: { family: 'grey', components: 1 },
  CalGray: { family: 'grey', components: 1 },
  DeviceRGB: { family: 'rgb', components: 3 },
  RGB: { family: 'rgb', components: 3 },
  CalRGB: { family: 'rgb', components: 3 },
  DeviceCMYK: { family: 'cmyk', components: 4 },
  CMYK: { family: 'cmyk', components: 4 },
  Lab: { family: 'lab', components: 3 },
  Separation: { family: 'separation', components: 1 },
};

const UNKNOWN: ColorSpace = { family: 'unknown', components: 0 };
const MAX_PALETTE_BYTES = 1024;
const MAX_PALETTE_STREAM_BYTES = 1_000_000;

export function readColorSpace(pdf: PdfDocument, value: PdfValue | undefined, depth = 0): ColorSpace | IndexedSpace {
  const space = pdf.resolve(value);
  if (isName(space)) return NAMED[space.value] ?? UNKNOWN;
  if (!Array.isArray(space) || depth > 4) return UNKNOWN;
  const family = pdf.resolve(space[0]);
  if (!isName(family)) return UNKNOWN;
  switch (family.value) {
    case 'ICCBased':
      return readIccBased(pdf, pdf.resolve(space[1]));
    case 'Indexed':
    case 'I':
      return readIndexed(pdf, space, depth);
    case 'DeviceN': {
      const names = pdf.resolve(space[1]);
      return { family: 'devicen', components: Array.isArray(names) ? names.length : 0 };
    }
    default:
      return NAMED[family.value] ?? UNKNOWN;
  }
}

function readIccBased(pdf: PdfDocument, profile: PdfValue): ColorSpace {
  if (!isStream(profile)) return UNKNOWN;
  const alternate = readColorSpace(pdf, profile.dict.get('Alternate'), 4);
  if (alternate.family === 'lab') return alternate;
  const components = pdf.resolve(profile.dict.get('N'));
  if (components === 1) return { family: 'grey', components };
  if (components === 3) return { family: 'rgb', components };
  return components === 4 ? { family: 'cmyk', components } : UNKNOWN;
}

function readIndexed(pdf: PdfDocument, space: PdfValue[], depth: number): ColorSpace | IndexedSpace {
  const base = readColorSpace(pdf, space[1], depth + 1);
  const highest = pdf.resolve(space[2]);
  const table = pdf.resolve(space[3]);
  if (typeof highest !== 'number' || base.components === 0 || base.family === 'indexed') return UNKNOWN;
  const palette = isString(table)
    ? pdf.stringBytes(table)
    : isStream(table)
      ? decodePalette(pdf, table)
      : Buffer.alloc(0);
  const entries = Math.min(256, Math.max(1, highest + 1));
  return { family: 'indexed', components: 1, base, palette: Buffer.concat([palette], entries * base.components) };
}

function decodePalette(pdf: PdfDocument, stream: PdfStream): Buffer {
  try {
    return pdf.decode(stream, 'objectStreamBytes', MAX_PALETTE_STREAM_BYTES).data.subarray(0, MAX_PALETTE_BYTES);
  } catch (error) {
    if (error instanceof UnknownFilter) return Buffer.alloc(0);
    throw error;
  }
}
