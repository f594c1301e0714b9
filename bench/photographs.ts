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
