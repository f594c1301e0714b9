import type { Picture } from '../../src/image/picture.ts';

export interface BmpOptions {
  /** Bits per pixel. 4 and 8 use grey palettes, from the red channel; 16 has five bits per colour */
  bits: 4 | 8 | 16 | 24 | 32;
  fromTop?: boolean;
  /** Run-length coding of 4 or 8 bits */
  runs?: boolean;
  /** Adds an alpha mask, for 32 bits, with an alpha of 128 */
  alpha?: boolean;
}

/** Writes a BMP according to the format's description (BITMAPINFOHEADER; BITMAPV4HEADER for alpha). */
export function bmp({ data, width, height, channels }: Picture, options: BmpOptions): Buffer {
  const { bits, fromTop = false, runs = false, alpha = false } = options;
  const red = (x: number, y: number): number => data[(y * width + x) * channels]!;
  const rgb = (x: number, y: number): number[] => [0, 1, 2].map((c) => data[(y * width + x) * channels + c]!);
  const rows = Array.from({ length: height }, (_, row) => {
    const y = fromTop ? row : height - 1 - row;
    const xs = Array.from({ length: width }, (_, x) => x);
    if (runs) return Buffer.from([...xs.flatMap((x) => [1, bits === 8 ? red(x, y) : red(x, y) & 0xf0]), 0, 0]);
    const bytes = Buffer.alloc(Math.ceil((width * bits) / 32) * 4);
    for (const x of xs) {
      const [r = 0, g = 0, b = 0] = rgb(x, y);
      if (bits === 4) bytes[x >> 1]! |= (r >> 4) << (x % 2 === 0 ? 4 : 0);
      else if (bits === 8) bytes[x] = r;
      else if (bits === 16) bytes.writeUInt16LE(((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3), x * 2);
      else if (bits === 24) bytes.set([b, g, r], x * 3);
      else bytes.set([b, g, r, alpha ? 128 : 0], x * 4);
    }
    return bytes;
  });
  const pixels = Buffer.concat([...rows, ...(runs ? [Buffer.from([0, 1])] : [])]);
  const colours = bits <= 8 ? 2 ** bits : 0;
  const palette = Buffer.from(
    Array.from({ length: colours }, (_, index) => Math.round((index * 255) / (colours - 1))).flatMap((v) => [
      v,
      v,
      v,
      0,
    ]),
  );
  const info = Buffer.alloc(alpha ? 108 : 40);
  info.writeUInt32LE(info.length, 0);
  info.writeInt32LE(width, 4);
  info.writeInt32LE(fromTop ? -height : height, 8);
  info.writeUInt16LE(1, 12);
  info.writeUInt16LE(bits, 14);
  info.writeUInt32LE(runs ? (bits === 8 ? 1 : 2) : alpha ? 3 : 0, 16);
  info.writeInt32LE(11_811, 24);
  if (alpha) [0xff0000, 0xff00, 0xff, 0xff000000].forEach((mask, index) => info.writeUInt32LE(mask, 40 + index * 4));
  const head = Buffer.alloc(14);
  head.write('BM');
  head.writeUInt32LE(head.length + info.length + palette.length, 10);
  head.writeUInt32LE(head.length + info.length + palette.length + pixels.length, 2);
  return Buffer.concat([head, info, palette, pixels]);
}
