import type { Picture } from '../../src/image/picture.ts';

/* Just enough of JBIG2 (ITU-T T.88) for tests: a page with one generic region, in arithmetic or in fax coding. */

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

/** In arithmetic coding with template 0: 0 is black. */
export function arithmeticJbig2(picture: Picture): { page: Buffer; region: Buffer } {
  const { data, width, height } = picture;
  const coder = createCoder();
  const at = (x: number, y: number): number => (x < 0 || y < 0 || x >= width ? 0 : data[y * width + x] === 0 ? 1 : 0);
  // From the pixel beside this one to the farthest (figure 3), the adaptive ones at their usual places.
  const template = [
    ...[1, 2, 3, 4].map((left) => [-left, 0]),
    ...[3, 2, 1, 0, -1, -2, -3].map((x) => [x, -1]),
    ...[2, 1, 0, -1, -2].map((x) => [x, -2]),
  ] as [number, number][];
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const context = template.reduce((sum, [dx, dy], bit) => sum | (at(x + dx, y + dy) << bit), 0);
      coder.encode(context, at(x, y));
    }
  const usual = Buffer.from('0003fffdff02fefefe', 'hex');
  return pageWith(picture, Buffer.concat([usual, coder.end()]));
}

/** Probability, next state after the likely and the unlikely bit, and whether the likely one changes (table E.1). */
const STATES: [number, number, number, number][] = [
  ...([
    [0x5601, 1, 1, 1],
    [0x3401, 2, 6, 0],
    [0x1801, 3, 9, 0],
    [0x0ac1, 4, 12, 0],
  ] as const),
  ...([
    [0x0521, 5, 29, 0],
    [0x0221, 38, 33, 0],
    [0x5601, 7, 6, 1],
    [0x5401, 8, 14, 0],
  ] as const),
  ...([
    [0x4801, 9, 14, 0],
    [0x3801, 10, 14, 0],
    [0x3001, 11, 17, 0],
    [0x2401, 12, 18, 0],
  ] as const),
  ...([
    [0x1c01, 13, 20, 0],
    [0x1601, 29, 21, 0],
    [0x5601, 15, 14, 1],
    [0x5401, 16, 14, 0],
  ] as const),
  ...([
    [0x5101, 17, 15, 0],
    [0x4801, 18, 16, 0],
    [0x3801, 19, 17, 0],
    [0x3401, 20, 18, 0],
  ] as const),
  ...([
    [0x3001, 21, 19, 0],
    [0x2801, 22, 19, 0],
    [0x2401, 23, 20, 0],
    [0x2201, 24, 21, 0],
  ] as const),
  ...([
    [0x1c01, 25, 22, 0],
    [0x1801, 26, 23, 0],
    [0x1601, 27, 24, 0],
    [0x1401, 28, 25, 0],
  ] as const),
  ...([
    [0x1201, 29, 26, 0],
    [0x1101, 30, 27, 0],
    [0x0ac1, 31, 28, 0],
    [0x09c1, 32, 29, 0],
  ] as const),
  ...([
    [0x08a1, 33, 30, 0],
    [0x0521, 34, 31, 0],
    [0x0441, 35, 32, 0],
    [0x02a1, 36, 33, 0],
  ] as const),
  ...([
    [0x0221, 37, 34, 0],
    [0x0141, 38, 35, 0],
    [0x0111, 39, 36, 0],
    [0x0085, 40, 37, 0],
  ] as const),
  ...([
    [0x0049, 41, 38, 0],
    [0x0025, 42, 39, 0],
    [0x0015, 43, 40, 0],
    [0x0009, 44, 41, 0],
  ] as const),
  ...([
    [0x0005, 45, 42, 0],
    [0x0001, 45, 43, 0],
    [0x5601, 46, 46, 0],
  ] as const),
].map(([...state]) => state);

/** The arithmetic encoder of annex E. */
function createCoder() {
  const states = new Uint8Array(65_536);
  const likely = new Uint8Array(65_536);
  const bytes: number[] = [0];
  let [a, c, left] = [0x8000, 0, 12];

  function byteOut(): void {
    const last = bytes.length - 1;
    if (bytes[last] !== 0xff && c >= 0x8000000) {
      bytes[last]! += 1;
      c &= 0x7ffffff;
    }
    const isStuffed = bytes[last] === 0xff;
    bytes.push(isStuffed ? c >>> 20 : c >>> 19);
    c &= isStuffed ? 0xfffff : 0x7ffff;
    left = isStuffed ? 7 : 8;
  }

  return {
    encode(context: number, bit: number): void {
      const [probability, afterLikely, afterUnlikely, switches] = STATES[states[context]!]!;
      const isLikely = bit === likely[context];
      a -= probability;
      if (isLikely && (a & 0x8000) !== 0) {
        c += probability;
        return;
      }
      if (isLikely === a < probability) a = probability;
      else c += probability;
      if (!isLikely && switches) likely[context] = 1 - likely[context]!;
      states[context] = isLikely ? afterLikely : afterUnlikely;
      do {
        a *= 2;
        c *= 2;
        left -= 1;
        if (left === 0) byteOut();
      } while ((a & 0x8000) === 0);
    },
    end(): Buffer {
      const most = c + a;
      c |= 0xffff;
      if (c >= most) c -= 0x8000;
      c *= 2 ** left;
      byteOut();
      c *= 2 ** left;
      byteOut();
      return Buffer.from([...bytes.slice(1), 0xff, 0xac]);
    },
  };
}
