import { readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import type { EnhancementParameters } from '@burnish/contract/engine';
import { inspectImage } from '../../src/image/inspect.ts';
import { asSharp, enhance, EVERYTHING, fileWriter, lossless, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { meanDifference, psnr, withNoise } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const file = fileWriter(scratch);
const photograph = syntheticPhotograph(240, 180);
/** As if too little light had come in. */
const dark = { ...photograph, data: photograph.data.map((v) => v * 0.5) };

/** Marks a lossless WebP as one with alpha (WebP Container Specification, "Extended File Format"): libwebp marks none that is opaque. */
function declaringAlpha(bare: Buffer): Buffer {
  const extension = Buffer.alloc(18);
  extension.write('VP8X');
  extension[4] = 10;
  extension[8] = 0x10;
  extension.writeUIntLE(photograph.width - 1, 12, 3);
  extension.writeUIntLE(photograph.height - 1, 15, 3);
  const head = Buffer.from(bare.subarray(0, 12));
  head.writeUInt32LE(bare.length - 8 + extension.length, 4);
  return Buffer.concat([head, extension, bare.subarray(12)]);
}

describe('enhanceImage', () => {
  test('runs the requested steps in order and names them', async () => {
    const input = await file('all.jpg', asSharp(withNoise(dark, 9)).jpeg({ quality: 60 }));
    const result = await enhance(input, EVERYTHING);
    expect(result).toMatchObject({ mimetype: 'image/jpeg', width: 480, height: 360 });
    expect(result.steps.join()).toMatch(/^artifacts,(noise,)?tone,upscale,sharpen$/);
    expect(await sharp(result.path).metadata()).toMatchObject({
      format: 'jpeg',
      width: 480,
      height: 360,
      hasAlpha: false,
    });
  });

  test.each<[EnhancementParameters, number, number, string[]]>([
    [{ targetWidth: 120 }, 120, 90, ['resize']],
    [{ targetWidth: 240, targetHeight: 240 }, 240, 180, []],
    [{ targetWidth: 300 }, 300, 225, ['upscale', 'resize']],
    [{ targetHeight: 720 }, 960, 720, ['upscale']],
    [{ targetWidth: 250, targetHeight: 501, fit: 'COVER' }, 250, 501, ['upscale', 'resize']],
  ])('gives a picture of 240 × 180 pixels with %j %i × %i pixels', async (parameters, width, height, steps) => {
    const result = await enhance(await file('target.png', lossless(asSharp(photograph), 'png')), parameters);
    expect(result).toMatchObject({ width, height, steps });
    expect(await sharp(result.path).metadata()).toMatchObject({ width, height });
  });

  test.each(['upright', 'deep'])('cuts off both edges evenly for an exact size: %s', async (kind) => {
    const image = asSharp(photograph);
    const input = await file('cover.png', lossless(kind === 'deep' ? image.toColourspace('rgb16') : image, 'png'));
    const result = await enhance(input, { targetWidth: 100, targetHeight: 180, fit: 'COVER' });
    const middle = await image.extract({ left: 70, top: 0, width: 100, height: 180 }).png().toBuffer();
    expect(meanDifference(await readRgb(result.path), await readRgb(middle))).toBe(0);
  });

  test('gives the same bytes for the same input, whatever the number of threads', async () => {
    const input = await file('same.jpg', asSharp(withNoise(photograph, 5)).jpeg({ quality: 70 }));
    const before = sharp.concurrency();
    const results = [];
    for (const threads of [1, 1, 4]) {
      sharp.concurrency(threads);
      results.push((await readFile((await enhance(input, EVERYTHING)).path)).toString('base64'));
    }
    sharp.concurrency(before);
    expect(new Set(results).size).toBe(1);
  });

  test.each(['png', 'tiff'] as const)('changes no sample of a %s without requested steps', async (format) => {
    const result = await enhance(await file(`plain.${format}`, lossless(asSharp(photograph), format)));
    expect(result.steps).toEqual([]);
    expect(meanDifference(await readRgb(result.path), photograph)).toBe(0);
  });

  test('turns an image upright once, for each of the eight orientations', async () => {
    for (let orientation = 1; orientation <= 8; orientation += 1) {
      const lying = await file(
        `lying${orientation}.jpg`,
        asSharp(photograph).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).withMetadata({ orientation }),
      );
      const upright = await readRgb(await sharp(lying).autoOrient().png().toBuffer());
      const result = await enhance(lying, { outputQuality: 100 });
      expect([result.width, result.height]).toEqual(orientation >= 5 ? [180, 240] : [240, 180]);
      expect((await sharp(result.path).metadata()).orientation ?? 1).toBe(1);
      expect(psnr(await readRgb(result.path), upright)).toBeGreaterThan(40);
    }
  });
});

describe('the output format', () => {
  test('AUTO preserves JPEG, PNG and TIFF and converts WebP to JPEG; a requested format is used', async () => {
    const of = async (format: 'jpeg' | 'png' | 'tiff' | 'webp', given: EnhancementParameters = {}): Promise<string> =>
      (await enhance(await file(`format.${format}`, asSharp(photograph)[format]()), given)).mimetype;
    expect([await of('jpeg'), await of('png'), await of('tiff'), await of('webp')]).toEqual([
      'image/jpeg',
      'image/png',
      'image/tiff',
      'image/jpeg',
    ]);
    expect(await of('jpeg', { outputFormat: 'TIFF' })).toBe('image/tiff');
    expect(await of('webp', { outputFormat: 'PNG' })).toBe('image/png');
    expect(await of('png', { outputFormat: 'WEBP' })).toBe('image/webp');
    expect(await of('png', { outputFormat: 'AVIF' })).toBe('image/avif');
  });

  test('AUTO preserves a WebP with a transparent pixel and its alpha, and not one whose alpha is opaque', async () => {
    const { width, height } = photograph;
    const withAlpha = async (seen: number): Promise<string> => {
      const data = Buffer.alloc(4 * width * height, 255);
      // One pixel in the last row; the first decides nothing.
      data[data.length - 5] = seen;
      const raw = { width, height, channels: 4 as const };
      const path = scratch(`alpha${seen}.webp`);
      await writeFile(path, declaringAlpha(await sharp(data, { raw }).webp({ lossless: true }).toBuffer()));
      return path;
    };
    expect((await sharp(await withAlpha(255)).metadata()).hasAlpha).toBe(true);
    const transparent = await enhance(await withAlpha(254), { mode: 'NATURAL' });
    expect(transparent.mimetype).toBe('image/webp');
    expect(transparent.notes.map(({ code }) => code)).not.toContain('TRANSPARENCY_REPLACED');
    const { data } = await sharp(transparent.path).raw().toBuffer({ resolveWithObject: true });
    expect([data[3], data.at(-5)]).toEqual([255, 254]);
    const opaque = await enhance(await withAlpha(255));
    expect((await inspectImage(await withAlpha(255))).hasAlpha).toBe(false);
    expect(opaque.mimetype).toBe('image/jpeg');
    expect(opaque.notes.map(({ code }) => code)).not.toContain('TRANSPARENCY_REPLACED');
  });

  test('follows the quality and chroma of a JPEG source within bounds, unless requested otherwise', async () => {
    const { readJpegTables } = await import('../../src/image/codecs/jpeg.ts');
    const coding = async (
      quality: number,
      chromaSubsampling: string,
      given: EnhancementParameters = {},
    ): Promise<unknown[]> => {
      const input = await file(
        `q${quality}${chromaSubsampling[2]}.jpg`,
        asSharp(photograph).jpeg({ quality, chromaSubsampling }),
      );
      const { quality: found, subsampled } = readJpegTables(await readFile((await enhance(input, given)).path))!;
      return [found, subsampled];
    };
    expect(await coding(87, '4:2:0')).toEqual([87, true]);
    expect(await coding(90, '4:4:4')).toEqual([90, false]);
    expect(await coding(30, '4:2:0')).toEqual([80, true]);
    expect(await coding(87, '4:2:0', { outputQuality: 55 })).toEqual([55, true]);
  });
});
