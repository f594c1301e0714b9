import { readColorSpace } from './color-space.ts';
import { name, ref, type PdfDict, type PdfDocument, type PdfStream, type PdfValue } from '@burnish/pdf';
import type { DataHeader } from '../enhance/result-file.ts';

export interface NewMask {
  number: number;
  stencil: boolean;
}

export function withMask(dict: PdfDict, mask: NewMask | undefined): PdfDict {
  const masked: PdfDict = new Map(dict);
  if (mask === undefined) return masked;
  for (const key of ['SMask', 'Mask', 'SMaskInData']) masked.delete(key);
  return masked.set(mask.stencil ? 'Mask' : 'SMask', ref(mask.number));
}

/** Returns the dictionary of a new mask, without its `Length`; a stencil mask paints at 0. */
export function maskDict(header: DataHeader): PdfDict {
  const { width, height, bits, filter, predictor } = header;
  const dict: PdfDict = new Map<string, PdfValue>([
    ['Type', name('XObject')],
    ['Subtype', name('Image')],
    ['Width', width],
    ['Height', height],
    ['BitsPerComponent', bits],
    ['Filter', name(filter)],
  ]);
  if (bits === 1) dict.set('ImageMask', true);
  else dict.set('ColorSpace', name('DeviceGray'));
  return predictor ? dict.set('DecodeParms', predictorParameters(header)) : dict;
}

/**
 * Returns the dictionary of an image whose data was replaced. Colour space, masks, intent, metadata, `Decode` and all
 * other entries stay. A new palette, or the base colour space, replaces an old palette. `Length` is the old one.
 */
export function replacedDict(pdf: PdfDocument, stream: PdfStream, result: DataHeader): PdfDict {
  const { dict } = stream;
  const replaced: PdfDict = new Map(dict);
  for (const key of ['Filter', 'F', 'DecodeParms', 'DP', 'FFilter', 'FDecodeParms', 'DL']) replaced.delete(key);
  replaced.set('Width', result.width);
  replaced.set('Height', result.height);
  replaced.set('BitsPerComponent', result.bits);
  replaced.set('Filter', name(result.filter));
  if (result.predictor) replaced.set('DecodeParms', predictorParameters(result));
  const space = pdf.resolve(dict.get('ColorSpace'));
  const wasIndexed = isIndexed(pdf, space);
  if (wasIndexed) replaced.set('ColorSpace', (space as PdfValue[])[1] ?? null);
  // Only JPEG 2000 may omit the colour space, and the result no longer contains it.
  else if (space === null) replaced.set('ColorSpace', name(result.channels === 1 ? 'DeviceGray' : 'DeviceRGB'));
  if (wasIndexed || result.palette !== undefined) replaced.delete('Decode');
  if (result.palette !== undefined)
    replaced.set('ColorSpace', indexed(pdf, replaced.get('ColorSpace') ?? null, result.palette));
  return replaced;
}

function indexed(pdf: PdfDocument, base: PdfValue, palette: string): PdfValue {
  const bytes = Buffer.from(palette, 'hex');
  const { components } = readColorSpace(pdf, base);
  return [name('Indexed'), base, bytes.length / components - 1, { kind: 'string', bytes, hex: true }];
}

function predictorParameters({ channels, bits, width }: DataHeader): PdfDict {
  return new Map<string, PdfValue>([
    ['Predictor', 15],
    ['Colors', channels],
    ['BitsPerComponent', bits],
    ['Columns', width],
  ]);
}

function isIndexed(pdf: PdfDocument, space: PdfValue): boolean {
  const family = Array.isArray(space) ? pdf.resolve(space[0]) : null;
  return (
    typeof family === 'object' &&
    family !== null &&
    'value' in family &&
    (family.value === 'Indexed' || family.value === 'I')
  );
}
