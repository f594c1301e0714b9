import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { asFailure } from '@burnish/contract';
import { decoderFailure } from '../../src/image/codecs/sharp.ts';
import { previewImage } from '../../src/image/preview.ts';
import { pixel, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';

const scratch = await scratchFolder();
const heic = fileURLToPath(new URL('../fixtures/patches.heic', import.meta.url));

/** A picture whose left half is red and whose right half is blue. */
function halves(width: number, height: number) {
  const red = { width: width / 2, height, channels: 3, background: '#e02020' } as const;
  return sharp({ create: { width, height, channels: 3, background: '#2030e0' } }).composite([
    { input: { create: red }, left: 0, top: 0 },
  ]);
}

async function preview(inputPath: string, side: number | null) {
  const outputPath = scratch('preview.webp');
  await previewImage({ inputPath, outputPath, side });
  return { ...(await sharp(outputPath).metadata()), path: outputPath };
}

describe('the preview of an image', () => {
  test('is a proportional WebP with the requested longest side', async () => {
    await halves(900, 600).tiff().toFile(scratch('in.tif'));
    expect(await preview(scratch('in.tif'), 320)).toMatchObject({ format: 'webp', width: 320, height: 213 });
  });

  test('is never larger than the image, and has full size on request', async () => {
    await halves(200, 100).png().toFile(scratch('in.png'));
    expect(await preview(scratch('in.png'), 960)).toMatchObject({ width: 200, height: 100 });
    expect(await preview(scratch('in.png'), null)).toMatchObject({ width: 200, height: 100 });
  });

  test('has at most 10,000 pixels a side, also at full size', async () => {
    await sharp({ create: { width: 12_000, height: 30, channels: 3, background: '#123' } })
      .tiff()
      .toFile(scratch('wide.tif'));
    expect(await preview(scratch('wide.tif'), null)).toMatchObject({ width: 10_000, height: 25 });
  });

  test('shows 60 megapixels of noise at full size', async () => {
    const side = 7_750;
    const data = new Uint8Array(side * side * 3);
    for (let i = 0, state = 1; i < data.length; i += 1) {
      state = Math.imul(state, 1_664_525) + 1_013_904_223;
      data[i] = 112 + (state >>> 27);
    }
    await sharp(data, { raw: { width: side, height: side, channels: 3 } })
      .tiff({ compression: 'none' })
      .toFile(scratch('noise.tif'));
    expect(await preview(scratch('noise.tif'), null)).toMatchObject({ width: side, height: side });
  });

  test('that the encoder refuses is no fault of the file', () => {
    const refusal = new Error('webpsave: unable to encode\nwbuffer_write: write failed');
    expect(decoderFailure(refusal)).toMatchObject({ code: 'INTERNAL' });
    expect(decoderFailure(new Error('VipsJpeg: premature end of JPEG image'))).toMatchObject({ code: 'CORRUPT_FILE' });
  });

  test.each(['No space left on device', 'Disk quota exceeded', 'Input/output error', 'Read-only file system'])(
    'that the disk refuses with "%s" waits for the disk',
    (reason) => {
      const refusal = new Error(`wbuffer_write: write failed\nunix error: ${reason}`);
      expect(asFailure(decoderFailure(refusal))).toMatchObject({ code: 'UNAVAILABLE', machinery: 'disk' });
    },
  );

  test('is upright in every orientation of the camera', async () => {
    await halves(400, 200).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toFile(scratch('turned.jpg'));
    const made = await preview(scratch('turned.jpg'), 320);
    expect(made).toMatchObject({ width: 160, height: 320 });
    const picture = await readRgb(made.path);
    expect(pixel(picture, 80, 40)[0]).toBeGreaterThan(180);
    expect(pixel(picture, 80, 280)[2]).toBeGreaterThan(180);
  });

  test('shows HEIC with its profile applied', async () => {
    const made = await preview(heic, 320);
    expect(made).toMatchObject({ format: 'webp', width: 128, height: 64 });
    const picture = await readRgb(made.path);
    // Painted 200, 40, 40 in Display P3, which sRGB writes with a stronger red.
    expect(pixel(picture, 16, 16)[0]).toBeGreaterThan(195);
    expect(pixel(picture, 16, 16)[1]).toBeLessThan(60);
    expect(pixel(picture, 48, 48)[0]).toBeGreaterThan(120);
  });

  test('converts CMYK and a wide gamut to sRGB', async () => {
    await halves(64, 64).toColourspace('cmyk').tiff({ compression: 'none' }).toFile(scratch('inks.tif'));
    const inks = await readRgb((await preview(scratch('inks.tif'), 320)).path);
    expect(pixel(inks, 8, 32)[0]).toBeGreaterThan(pixel(inks, 8, 32)[2]! + 80);
    await halves(64, 64).withIccProfile('p3').png().toFile(scratch('p3.png'));
    const wide = await preview(scratch('p3.png'), 320);
    expect(wide.hasProfile).toBe(false);
    expect(pixel(await readRgb(wide.path), 8, 32)[0]).toBeGreaterThan(210);
  });

  test('preserves transparency', async () => {
    const clear = { r: 0, g: 0, b: 0, alpha: 0 };
    await sharp({ create: { width: 50, height: 50, channels: 4, background: clear } })
      .png()
      .toFile(scratch('clear.png'));
    expect(await preview(scratch('clear.png'), 320)).toMatchObject({ hasAlpha: true });
  });

  test('of a broken file or another type is refused with its code', async () => {
    await writeFile(scratch('text.jpg'), 'nothing to see here');
    await expect(preview(scratch('text.jpg'), 320)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    const bytes = await halves(400, 400).jpeg().toBuffer();
    await writeFile(scratch('cut.jpg'), bytes.subarray(0, bytes.length / 2));
    await expect(preview(scratch('cut.jpg'), null)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });
});
