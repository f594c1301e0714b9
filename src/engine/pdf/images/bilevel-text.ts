import { findComponents } from '../../image/document/marks.ts';
import { showsText } from '../../image/document/text-lines.ts';
import type { Picture } from '../../image/picture.ts';
import { rarerValue } from './bilevel-field.ts';

/** Pixels that are read: a screen of dots has a mark for every few of them, and each takes memory. */
const MAX_READ_PIXELS = 16_000_000;

/**
 * Returns whether a one-bit picture shows lines of letters. Of a picture above 16 megapixels, the rows in its middle
 * decide.
 * @param picture one channel of 0 and 255; the rarer value is ink
 */
export function showsLetters(picture: Picture): boolean {
  const { data, width, height } = picture;
  const ink = rarerValue(picture);
  const rows = Math.min(height, Math.max(1, Math.floor(MAX_READ_PIXELS / width)));
  const start = Math.floor((height - rows) / 2) * width;
  return showsText(findComponents(width, rows, (at) => data[start + at] === ink));
}
