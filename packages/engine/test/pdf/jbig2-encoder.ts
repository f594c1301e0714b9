import type { Picture } from '../../src/image/picture.ts';
import { encodeJbig2 } from '../../src/pdf/images/jbig2-encoder.ts';

/* Pages of JBIG2 (ITU-T T.88) with one generic region, in arithmetic or in fax coding. */

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => bytes.writeUInt32BE(value, i * 4));
  return bytes;
}

const segment = (number: number, type: number, body: Buffer): Buffer =>
  Buffer.concat([words(number), Buffer.from([type, 0, 1]), words(body.length), body]);

/** A page of a size, with a region of this coding: its flags and data. */
function pageWith({ width, height }: Picture, region: Buffer): { page: Buffer; region: Buffer } {
  return {
    page: segment(0, 48, Buffer.concat([words(width, height, 0, 0), Buffer.from([0, 0, 0])])),
    region: segment(1, 38, Buffer.concat([words(width, height, 0, 0), Buffer.from([0]), region])),
  };
}

/** In fax coding. @param group4 the bits, black as black */
export const faxJbig2 = (picture: Picture, group4: Buffer): { page: Buffer; region: Buffer } =>
  pageWith(picture, Buffer.concat([Buffer.from([1]), group4]));

/** Bytes of the segment of the page, which comes first. */
const PAGE_BYTES = 30;

/** In arithmetic coding: 0 is black. */
export function arithmeticJbig2({ data, width, height }: Picture): { page: Buffer; region: Buffer } {
  const coded = encodeJbig2({ data: Uint8Array.from(data, (sample) => (sample === 0 ? 1 : 0)), width, height });
  return { page: coded.subarray(0, PAGE_BYTES), region: coded.subarray(PAGE_BYTES) };
}
