import { createHash } from 'node:crypto';
import { isBilevel, reasonOfKind } from '../analyze/eligibility.ts';
import { readImageFacts } from '../images/image-facts.ts';
import { readMaskFacts } from '../images/mask.ts';
import { isDict, isRef, isStream, serialize, type PdfDocument, type PdfValue } from '@burnish/pdf';

const MAX_NESTING = 6;
/**
 * Minimum longer side of a part of one bit, pixels. Smaller ones are letters, and a page may have thousands of these.
 */
const MIN_BILEVEL_SIDE = 64;

/**
 * Describes the properties that parts of one picture share: colour space, depth and encoding.
 * @returns a function of an object number; it returns undefined for an image that is not eligible, or has a mask that
 * does not match it
 */
export function createPartKinds(pdf: PdfDocument): (number: number) => string | undefined {
  const known = new Map<number, string | undefined>();
  const streams = new Map<number, string>();

  function findKind(number: number): string | undefined {
    const image = readImageFacts(pdf, number);
    if (image === undefined || image.mask === 'in-data') return undefined;
    if (reasonOfKind(image) !== undefined && !(isBilevel(image) && isStrip(image))) return undefined;
    if (image.mask === 'image') {
      const mask = readMaskFacts(pdf, image);
      if (mask?.width !== image.width || mask.height !== image.height || mask.matte) return undefined;
    }
    const { dict } = image.stream;
    const entries = ['ColorSpace', 'Decode', 'Intent'].map((key) => toText(dict.get(key) ?? null, 0));
    return [image.encoding ?? 'samples', image.bits, image.stencil, ...entries].join('|');
  }

  const isStrip = ({ width, height }: { width: number; height: number }): boolean =>
    Math.max(width, height) >= MIN_BILEVEL_SIDE;

  /**
   * Serialises a value with its referenced objects. Streams are compared by their bytes, since programs repeat a
   * profile for every strip.
   */
  function toText(value: PdfValue, depth: number): string {
    if (depth > MAX_NESTING) return 'deep';
    const found = isRef(value) ? pdf.resolve(value) : value;
    if (Array.isArray(found)) return `[${found.map((item) => toText(item, depth + 1)).join(' ')}]`;
    if (isDict(found)) return `<${[...found].map(([key, item]) => `${key} ${toText(item, depth + 1)}`).join(' ')}>`;
    if (!isStream(found)) return serialize(found);
    const text = streams.get(found.number) ?? createHash('sha256').update(pdf.rawData(found)).digest('base64');
    streams.set(found.number, text);
    return text;
  }

  return (number) => {
    if (!known.has(number)) known.set(number, findKind(number));
    return known.get(number);
  };
}
