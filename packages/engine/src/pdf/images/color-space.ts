import {
  isDict,
  isName,
  isStream,
  isString,
  PdfError,
  UnknownFilter,
  type PdfDocument,
  type PdfStream,
  type PdfValue,
} from '@burnish/pdf';
import type { Picture } from '../../image/picture.ts';
import { isColorTable, isScannerTable } from './color-table.ts';

/** The colour space of an image (ISO 32000-1 section 8.6), as far as changing its samples requires it. */
export interface ColorSpace {
  /** `table`: a sample between two others is no colour between theirs */
  family: 'grey' | 'rgb' | 'cmyk' | 'inks' | 'indexed' | 'lab' | 'separation' | 'devicen' | 'table' | 'unknown';
  /** Samples per pixel */
  components: number;
}

/** Amounts of process inks, named by Separation or DeviceN. A value between two amounts is an amount too. */
export interface InkSpace extends ColorSpace {
  family: 'inks';
  /** The CMYK channel of each component, 0 to 3; the ink `All` counts as black */
  channels: number[];
}

export interface LabSpace extends ColorSpace {
  family: 'lab';
  /** Minimum and maximum of a*, then minimum and maximum of b* */
  range: [number, number, number, number];
}

export interface IndexedSpace extends ColorSpace {
  family: 'indexed';
  base: ColorSpace;
  /** Entries of `base.components` bytes */
  palette: Buffer;
}

export type AnyColorSpace = ColorSpace | IndexedSpace | InkSpace | LabSpace;

/** Returns the space of an image's samples as a picture. @param channels of the decoded image */
export function pictureSpace({ family }: ColorSpace, channels: number): Picture['space'] {
  if (channels === 4) return 'cmyk';
  if (family === 'inks' || family === 'lab') return 'other';
  return channels === 1 ? 'grey' : 'rgb';
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
};

const UNKNOWN: ColorSpace = { family: 'unknown', components: 0 };
const MAX_PALETTE_BYTES = 1024;
const MAX_PALETTE_STREAM_BYTES = 1_000_000;

export function readColorSpace(pdf: PdfDocument, value: PdfValue | undefined, depth = 0): AnyColorSpace {
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
    case 'Separation':
      return readInks(pdf, 'separation', [space[1] ?? null]);
    case 'DeviceN': {
      const names = pdf.resolve(space[1]);
      return readInks(pdf, 'devicen', Array.isArray(names) ? names : []);
    }
    case 'Lab':
      return readLab(pdf, pdf.resolve(space[1]));
    default:
      return NAMED[family.value] ?? UNKNOWN;
  }
}

const PROCESS_INKS: Record<string, number> = { Cyan: 0, Magenta: 1, Yellow: 2, Black: 3, All: 3 };

/** Spot colours keep their family: their names do not define the colour of intermediate amounts. */
function readInks(pdf: PdfDocument, family: 'separation' | 'devicen', colorants: PdfValue[]): ColorSpace | InkSpace {
  const names = colorants.map((colorant) => pdf.resolve(colorant));
  const channels = names.flatMap((ink) => (isName(ink) ? (PROCESS_INKS[ink.value] ?? []) : []));
  const isProcess = channels.length === names.length && new Set(channels).size === names.length && names.length > 0;
  return isProcess ? { family: 'inks', components: names.length, channels } : { family, components: names.length };
}

const LAB_RANGE: LabSpace['range'] = [-100, 100, -100, 100];

function readLab(pdf: PdfDocument, parameters: PdfValue): LabSpace {
  const given = isDict(parameters) ? pdf.resolve(parameters.get('Range')) : null;
  const range = Array.isArray(given) ? given.map(pdf.resolve) : [];
  const isRange = range.length === 4 && range.every((value) => typeof value === 'number');
  return { family: 'lab', components: 3, range: isRange ? (range as LabSpace['range']) : LAB_RANGE };
}

function readIccBased(pdf: PdfDocument, profile: PdfValue): AnyColorSpace {
  if (!isStream(profile)) return UNKNOWN;
  const alternate = readColorSpace(pdf, profile.dict.get('Alternate'), 4);
  if (alternate.family === 'lab') return alternate;
  const components = pdf.resolve(profile.dict.get('N'));
  if (components === 1 || components === 3) {
    if (isLookedUp(pdf, profile, components)) return { family: 'table', components };
    return { family: components === 1 ? 'grey' : 'rgb', components };
  }
  return components === 4 ? { family: 'cmyk', components } : UNKNOWN;
}

const MAX_PROFILE_BYTES = 4_000_000;
const colorTables = new WeakMap<PdfDocument, Map<string, boolean>>();

/** Returns whether neighbouring samples are unrelated colours by a profile of one or three channels. */
function isLookedUp(pdf: PdfDocument, profile: PdfStream, components: 1 | 3): boolean {
  const known = colorTables.get(pdf) ?? new Map<string, boolean>();
  colorTables.set(pdf, known);
  const key = `${profile.number} ${profile.start}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const data = readProfile(pdf, profile);
  const isTable = components === 1 ? isScannerTable(data) : isColorTable(data);
  known.set(key, isTable);
  return isTable;
}

function readProfile(pdf: PdfDocument, profile: PdfStream): Buffer {
  try {
    return pdf.decode(profile, 'objectStreamBytes', MAX_PROFILE_BYTES).data;
  } catch (error) {
    if (error instanceof UnknownFilter || error instanceof PdfError) return Buffer.alloc(0);
    throw error;
  }
}

function readIndexed(pdf: PdfDocument, space: PdfValue[], depth: number): AnyColorSpace {
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
