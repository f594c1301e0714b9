import { readColorSpace, type AnyColorSpace, type ColorSpace } from './color-space.ts';
import {
  isImageFilter,
  isKnownFilter,
  isStream,
  type ImageFilter,
  type PdfDict,
  type PdfDocument,
  type PdfStream,
} from '@burnish/pdf';
import { readJpegHeader, type JpegHeader } from './jpeg-header.ts';
import { readJpxHeader, type JpxHeader } from './jpx-header.ts';

/** An image object (ISO 32000-1 section 8.9.5) before any of its samples are decoded. */
export interface ImageFacts {
  stream: PdfStream;
  /** Pixels; for a JPEG or JPEG 2000, the size in its header */
  width: number;
  height: number;
  bits: number;
  color: AnyColorSpace;
  /** The image filter, or undefined when the samples are packed without one */
  encoding: ImageFilter | 'unknown' | undefined;
  stencil: boolean;
  /** Kind of its mask: a colour key, another image, or opacity stored with its own samples */
  mask: 'color-key' | 'image' | 'in-data' | undefined;
  /** Effect of the `Decode` array */
  decode: 'plain' | 'inverted' | 'other';
  jpeg: JpegHeader | undefined;
  jpx: JpxHeader | undefined;
  /** Colour transform of a JPEG according to the dictionary (ISO 32000-1 table 13) */
  colorTransform: number | undefined;
}

/**
 * Returns the number of colour components of a JPEG 2000 image. The file may rely on the PDF to exclude the last one.
 */
export function jpxColours({ jpx, mask }: ImageFacts): number {
  const components = jpx?.components ?? 0;
  return jpx?.alpha !== undefined || mask === 'in-data' ? components - 1 : components;
}

/** Numbers of bytes to search for the header, in turn: the first is nearly always enough. */
const HEADER_BYTES = [2048, 65_536];

/** @returns undefined for an object that is not an image */
export function readImageFacts(pdf: PdfDocument, number: number): ImageFacts | undefined {
  const stream = pdf.get(number);
  if (!isStream(stream)) return undefined;
  const { dict } = stream;
  const readNumber = (key: string): number => {
    const value = pdf.resolve(dict.get(key));
    return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.floor(value)) : 0;
  };
  const steps = pdf.filters(stream);
  const filters = steps.map(({ filter }) => filter);
  const transform = steps.at(-1)?.parameters.get('ColorTransform');
  const encoding = filters.every(isKnownFilter) ? filters.find(isImageFilter) : 'unknown';
  const jpeg = encoding === 'DCTDecode' ? readHeader(pdf, stream, readJpegHeader) : undefined;
  const jpx = encoding === 'JPXDecode' ? readHeader(pdf, stream, readJpxHeader) : undefined;
  const header = jpeg ?? jpx;
  const stencil = pdf.resolve(dict.get('ImageMask')) === true;
  const bits = stencil ? 1 : (header?.precision ?? readNumber('BitsPerComponent'));
  const color = readColorSpace(pdf, dict.get('ColorSpace'));
  return {
    stream,
    width: header?.width || readNumber('Width'),
    height: header?.height || readNumber('Height'),
    bits,
    color,
    encoding,
    stencil,
    mask: readMask(pdf, dict),
    decode: readDecode(pdf, dict, color, bits),
    jpeg,
    jpx,
    colorTransform: typeof transform === 'number' ? transform : undefined,
  };
}

/**
 * Reads a header from the first bytes of the data. It reads all data if those do not suffice, or if other filters or
 * encryption apply.
 */
function readHeader<T>(pdf: PdfDocument, stream: PdfStream, read: (data: Buffer) => T | undefined): T | undefined {
  if (pdf.filters(stream).length > 1 || pdf.encryption) return read(pdf.decode(stream, 'imageBytes').data);
  const length = pdf.rawLength(stream);
  for (const bytes of HEADER_BYTES) {
    const header = read(pdf.source.read(stream.start, Math.min(bytes, length)));
    if (header !== undefined || bytes >= length) return header;
  }
  return read(pdf.rawData(stream));
}

function readMask(pdf: PdfDocument, dict: PdfDict): ImageFacts['mask'] {
  const inData = pdf.resolve(dict.get('SMaskInData'));
  if (inData === 1 || inData === 2) return 'in-data';
  if (isStream(pdf.resolve(dict.get('SMask')))) return 'image';
  const mask = pdf.resolve(dict.get('Mask'));
  return Array.isArray(mask) ? 'color-key' : isStream(mask) ? 'image' : undefined;
}

function readDecode(pdf: PdfDocument, dict: PdfDict, color: ColorSpace, bits: number): ImageFacts['decode'] {
  const decode = pdf.resolve(dict.get('Decode'));
  if (!Array.isArray(decode)) return 'plain';
  const values = decode.map(pdf.resolve);
  if (color.family === 'indexed') return values[0] === 0 && values[1] === 2 ** bits - 1 ? 'plain' : 'other';
  if (values.every((value, i) => value === i % 2)) return 'plain';
  return values.every((value, i) => value === (i + 1) % 2) ? 'inverted' : 'other';
}
