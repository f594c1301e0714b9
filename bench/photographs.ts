import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const sample = fileURLToPath(new URL('../packages/engine/test/fixtures/lake.jpg', import.meta.url));

/** The rendered lake enlarged to 4000 × 3000 pixels, with the grain of a sensor of that size. */
export async function largePhotograph(): Promise<Buffer> {
  const size = { width: 4000, height: 3000 };
  const grain = await sharp({
    create: { ...size, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 6 } },
  })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return sharp(sample)
    .resize({ ...size, fit: 'fill' })
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 88 })
    .toBuffer();
}

/** 800 × 533 pixels. */
export async function smallPhotograph(): Promise<Buffer> {
  return sharp(sample).resize({ width: 800 }).jpeg({ quality: 85 }).toBuffer();
}

/** Darkens the lower two thirds, as in front of a window. */
export async function againstTheLight(jpeg: Buffer): Promise<Buffer> {
  const { width, height } = await sharp(jpeg).metadata();
  const top = Math.round(height / 3);
  const lower = await sharp(jpeg)
    .extract({ left: 0, top, width, height: height - top })
    .linear(0.22, 0)
    .png({ compressionLevel: 1 })
    .toBuffer();
  return sharp(jpeg)
    .composite([{ input: lower, left: 0, top }])
    .jpeg({ quality: 88 })
    .toBuffer();
}
