import { findComponents } from '../../image/document/marks.ts';
import { measureLetters } from '../../image/document/text-lines.ts';
import type { Picture } from '../../image/picture.ts';
import { rarerValue } from './bilevel-field.ts';

/** Pixels that are read: a screen of dots has a mark for every few of them, and each takes memory. */
const MAX_READ_PIXELS = 16_000_000;

/** Heights of letters that read better once enlarged, pixels, see docs/pdf.md. */
const ENLARGED_LETTERS = { least: 13, most: 14 } as const;

/** Returns whether a one-bit picture is enlarged: it shows no lines of letters, or letters of a height that gains by it. */
export function gainsByEnlarging(picture: Picture): boolean {
  const height = letterHeight(picture);
  return height === undefined || (height >= ENLARGED_LETTERS.least && height <= ENLARGED_LETTERS.most);
}

/**
 * Returns the median height of the letters in a one-bit picture, pixels; undefined without lines of them. Of a picture
 * above 16 megapixels, the rows in its middle decide.
 * @param picture one channel of 0 and 255; the rarer value is ink
 */
export function letterHeight(picture: Picture): number | undefined {
  const { data, width, height } = picture;
  const ink = rarerValue(picture);
  const rows = Math.min(height, Math.max(1, Math.floor(MAX_READ_PIXELS / width)));
  const start = Math.floor((height - rows) / 2) * width;
  return measureLetters(findComponents(width, rows, (at) => data[start + at] === ink));
}
