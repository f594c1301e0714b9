import type { OnPart } from '../../image/progress.ts';
import { ArithmeticCoder } from './arithmetic-coder.ts';

/** A picture of one bit: a byte for each pixel, 1 for black. */
export interface Bitmap {
  data: Uint8Array;
  width: number;
  height: number;
}

/** Contexts of template 0: 16 pixels around the coded one. */
const CONTEXTS = 65_536;
/** The context of the bit that says whether a row is as the one above (figure 8). */
const TYPICAL = 0x9b25;
/** Template 0 with typical prediction, and its adaptive pixels at their usual places. */
const GENERIC_FLAGS = Buffer.from([0b1000, 3, 255, 253, 255, 2, 254, 254, 254]);
const [PAGE_INFORMATION, GENERIC_REGION] = [48, 38];

/**
 * Codes a picture without loss as the JBIG2 data of an image in a PDF (ITU-T T.88): one generic region in arithmetic
 * coding. It has no symbols, since a decoder can show one letter for another by them.
 */
export function encodeJbig2(bitmap: Bitmap, onPart?: OnPart): Buffer {
  const { width, height } = bitmap;
  const size = words(width, height, 0, 0);
  return Buffer.concat([
    segment(0, PAGE_INFORMATION, Buffer.concat([size, Buffer.from([0, 0, 0])])),
    segment(1, GENERIC_REGION, Buffer.concat([size, Buffer.from([0]), GENERIC_FLAGS, codeRows(bitmap, onPart)])),
  ]);
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i));
  return bytes;
}

/** A segment of the first page that refers to no other. */
const segment = (number: number, type: number, body: Buffer): Buffer =>
  Buffer.concat([words(number), Buffer.from([type, 0, 1]), words(body.length), body]);

/** Rows between two reports of progress. */
const REPORTED_ROWS = 256;

function codeRows({ data, width, height }: Bitmap, onPart: OnPart): Buffer {
  const coder = new ArithmeticCoder(CONTEXTS);
  // Pixels outside of the picture are white: the template reaches four of them behind a row.
  const empty = (): Uint8Array => new Uint8Array(width + 4);
  let [upper, above, row] = [empty(), empty(), empty()];
  let wasTypical = 0;
  for (let y = 0; y < height; y += 1) {
    if (y % REPORTED_ROWS === 0) onPart?.(y / height);
    row.set(data.subarray(y * width, (y + 1) * width));
    const isTypical = row.every((pixel, x) => pixel === above[x]) ? 1 : 0;
    coder.encode(TYPICAL, isTypical ^ wasTypical);
    wasTypical = isTypical;
    if (isTypical === 0) codeRow(coder, upper, above, row, width);
    [upper, above, row] = [above, row, upper];
  }
  return coder.end();
}

/** Codes each pixel by five pixels two rows above, seven of the row above, and the four before it (figure 3). */
function codeRow(coder: ArithmeticCoder, upper: Uint8Array, above: Uint8Array, row: Uint8Array, width: number): void {
  let fives = (upper[0]! << 1) | upper[1]!;
  let sevens = (above[0]! << 2) | (above[1]! << 1) | above[2]!;
  let fours = 0;
  for (let x = 0; x < width; x += 1) {
    fives = ((fives << 1) | upper[x + 2]!) & 31;
    sevens = ((sevens << 1) | above[x + 3]!) & 127;
    const pixel = row[x]!;
    coder.encode((fives << 11) | (sevens << 4) | fours, pixel);
    fours = ((fours << 1) | pixel) & 15;
  }
}
