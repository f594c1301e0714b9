import sharp from 'sharp';

/** Creates a photograph-like JPEG of an acceptable size. */
export async function jpeg(seed = 1): Promise<Buffer> {
  const [width, height] = [320, 240];
  const pixels = Buffer.alloc(width * height * 3);
  let state = seed >>> 0;
  for (let i = 0; i < pixels.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    pixels[i] = state >>> 24;
  }
  return await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 80 })
    .toBuffer();
}

/** Bytes with the header of a PDF; the gateway reads no further. */
export function pdf(size = 30_000): Buffer {
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(size - 9, 'x')]);
}
