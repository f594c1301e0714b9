import { decodeAscii85, decodeAsciiHex, decodeRunLength } from './ascii-filters.ts';
import { inflate } from './inflate.ts';
import { PDF_LIMITS, type PdfLimit } from '../limits.ts';
import { assertWithin } from '../pdf-error.ts';
import { decodeLzw } from './lzw.ts';
import { isDict, isName, type PdfDict, type PdfValue } from '../syntax/objects.ts';
import { undoPredictor } from './predictor.ts';

export const IMAGE_FILTERS = ['DCTDecode', 'JPXDecode', 'JBIG2Decode', 'CCITTFaxDecode'] as const;
export type ImageFilter = (typeof IMAGE_FILTERS)[number];

export interface FilterStep {
  filter: string;
  parameters: PdfDict;
}

export interface DecodedStream {
  data: Buffer;
  /** The remaining filter, if the chain ends in an image filter */
  imageFilter?: ImageFilter;
  parameters: PdfDict;
}

const SHORT_NAMES: Record<string, string> = {
  A85: 'ASCII85Decode',
  AHx: 'ASCIIHexDecode',
  CCF: 'CCITTFaxDecode',
  DCT: 'DCTDecode',
  Fl: 'FlateDecode',
  LZW: 'LZWDecode',
  RL: 'RunLengthDecode',
};

/** Returns the filters of a stream in decoding order; `resolve` follows references. */
export function filterChain(dict: PdfDict, resolve: (value: PdfValue | undefined) => PdfValue): FilterStep[] {
  const filters = resolve(dict.get('Filter') ?? dict.get('F'));
  const parameters = resolve(dict.get('DecodeParms') ?? dict.get('DP'));
  const names = Array.isArray(filters) ? filters.map(resolve) : [filters];
  const all = Array.isArray(parameters) ? parameters.map(resolve) : [parameters];
  return names.filter(isName).map(({ value }, i) => {
    const found = all[i];
    const entries = isDict(found) ? [...found].map(([key, entry]): [string, PdfValue] => [key, resolve(entry)]) : [];
    return { filter: SHORT_NAMES[value] ?? value, parameters: new Map(entries) };
  });
}

export const isImageFilter = (filter: string): filter is ImageFilter =>
  (IMAGE_FILTERS as readonly string[]).includes(filter);

const DECODERS = ['FlateDecode', 'LZWDecode', 'ASCII85Decode', 'ASCIIHexDecode', 'RunLengthDecode', 'Crypt'];

export const isKnownFilter = (filter: string): boolean => isImageFilter(filter) || DECODERS.includes(filter);

/** A filter that this reader does not support. */
export class UnknownFilter extends Error {}

/**
 * Decodes the filters of a stream up to an image filter.
 * @param cap maximum output of any filter, bytes; more throws the error of `limit`
 * @throws UnknownFilter; PdfError LIMIT_EXCEEDED for too many filters
 */
export function decodeFilters(data: Buffer, steps: FilterStep[], cap: number, limit: PdfLimit): DecodedStream {
  assertWithin('filters', steps.length);
  let decoded = data;
  for (const { filter, parameters } of steps) {
    if (isImageFilter(filter)) return { data: decoded, imageFilter: filter, parameters };
    decoded = undoFilter(decoded, filter, parameters, cap, limit);
  }
  return { data: decoded, parameters: new Map() };
}

function undoFilter(data: Buffer, filter: string, parameters: PdfDict, cap: number, limit: PdfLimit): Buffer {
  switch (filter) {
    case 'FlateDecode':
      return undoPredictor(inflate(data, cap, limit), readPredictor(parameters));
    case 'LZWDecode':
      return undoPredictor(decodeLzw(data, parameters.get('EarlyChange') !== 0, cap, limit), readPredictor(parameters));
    case 'ASCII85Decode':
      return decodeAscii85(data);
    case 'ASCIIHexDecode':
      return decodeAsciiHex(data);
    case 'RunLengthDecode':
      return decodeRunLength(data, cap, limit);
    case 'Crypt':
      return data;
    default:
      throw new UnknownFilter(filter);
  }
}

function readPredictor(parameters: PdfDict) {
  const number = (key: string, otherwise: number): number => {
    const value = parameters.get(key);
    return typeof value === 'number' && value >= 1 && value <= PDF_LIMITS.objectBytes.max
      ? Math.floor(value)
      : otherwise;
  };
  return {
    predictor: number('Predictor', 1),
    colors: Math.min(32, number('Colors', 1)),
    bitsPerComponent: Math.min(16, number('BitsPerComponent', 8)),
    columns: number('Columns', 1),
  };
}
