import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { readTiffDirectory } from '../../src/image/codecs/tiff-directory.ts';
import { inspectImage } from '../../src/image/inspect.ts';
import type { Picture } from '../../src/image/picture.ts';
import { asSharp, enhance, EVERYTHING, fileWriter, flat, lossless, pixel, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { psnr } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const file = fileWriter(scratch);
const photograph = syntheticPhotograph(240, 180);

describe('an unusual image', () => {
  test('with the animation of a PNG gives its first frame and a note', async () => {
    const png = await asSharp(photograph).png().toBuffer();
    const control = Buffer.alloc(20);
    control.writeUInt32BE(8);
    control.write('acTL', 4, 'latin1');
    control.writeUInt32BE(12, 8);
    control.writeUInt32BE(crc32(control.subarray(4, 16)), 16);
    const animated = Buffer.concat([png.subarray(0, 33), control, png.subarray(33)]);
    const result = await enhance(await file('animated.png', animated));
    expect(result).toMatchObject({ width: 240, height: 180, mimetype: 'image/png' });
    expect(result.notes).toEqual([{ code: 'FIRST_FRAME_USED', frames: 12 }]);
    expect((await readRgb(result.path)).data).toEqual(photograph.data);
  });

  test('of 16-bit RGB keeps its depth in PNG and TIFF', async () => {
    const data = Uint16Array.from(photograph.data, (value, i) => value * 256 + (i % 256));
    const deep: Picture = { ...photograph, data };
    for (const format of ['png', 'tiff'] as const) {
      const input = await file(`deep.${format}`, lossless(asSharp(deep).toColourspace('rgb16'), format));
      const result = await enhance(input);
      expect(await inspectImage(result.path)).toMatchObject({ bitDepth: 16, colourSpace: 'rgb' });
      const samples = await sharp(result.path).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
      expect(samples.equals(Buffer.from(data.buffer))).toBe(true);
    }
    const jpeg = await enhance(scratch('deep.png'), { outputFormat: 'JPEG' });
    expect(jpeg.notes).toContainEqual({ code: 'DEPTH_REDUCED', bits: 16 });
  });

  test('of grey stays grey, also with alpha and with 16 bits', async () => {
    const grey = asSharp(photograph).toColourspace('b-w');
    const result = await enhance(await file('grey.jpg', grey.jpeg()), { ...EVERYTHING });
    expect(await sharp(result.path).metadata()).toMatchObject({ space: 'b-w', channels: 1 });

    const pair = flat(40, 30, [90, 128]);
    const withAlpha = await enhance(await file('pair.png', asSharp(pair).toColourspace('b-w').png()), {
      upscalingFactor: 'X2',
    });
    expect(await sharp(withAlpha.path).metadata()).toMatchObject({ space: 'b-w', channels: 2 });
    expect(pixel(await readRgb(withAlpha.path), 40, 30)).toEqual([90, 90, 90, 128]);

    const deep = { ...pair, data: Uint16Array.from(pair.data, (v) => v * 257) };
    const deepResult = await enhance(await file('deep-pair.png', asSharp(deep).toColourspace('grey16').png()));
    expect(await sharp(deepResult.path).metadata()).toMatchObject({ space: 'grey16', channels: 2, depth: 'ushort' });
  });

  test('of CMYK stays CMYK with the same colours in JPEG and TIFF; in PNG it becomes sRGB', async () => {
    const cmyk = asSharp(photograph).toColourspace('cmyk');
    for (const format of ['tiff', 'jpeg'] as const) {
      const input = await file(`cmyk.${format}`, cmyk.clone()[format]({ quality: 95 }));
      const result = await enhance(input, { mode: 'VIVID', outputQuality: 95 });
      expect(result.notes).toContainEqual({ code: 'TONE_UNCHANGED', because: 'inks' });
      expect(await sharp(result.path).metadata()).toMatchObject({ format, space: 'cmyk', channels: 4 });
      const rgb = async (path: string): Promise<Picture> =>
        readRgb(await sharp(path).toColourspace('srgb').png().toBuffer());
      expect(psnr(await rgb(result.path), await rgb(input))).toBeGreaterThan(38);
    }
    const png = await enhance(scratch('cmyk.tiff'), { outputFormat: 'PNG' });
    expect(png.notes).toContainEqual({ code: 'CONVERTED_TO_SRGB' });
    expect(psnr(await readRgb(png.path), photograph)).toBeGreaterThan(20);
  });

  test('with alpha keeps it unchanged, and is put on white for JPEG', async () => {
    const data = new Uint8Array(240 * 180 * 4);
    for (let i = 0; i < 240 * 180; i += 1) {
      data.set(
        photograph.data.subarray(i * 3, i * 3 + 3).map((v) => v / 2),
        i * 4,
      );
      data[i * 4 + 3] = i % 240 < 60 ? 0 : 200;
    }
    const input = await file('alpha.png', asSharp({ ...photograph, data, channels: 4, hasAlpha: true }).png());
    const result = await enhance(input, { mode: 'ENHANCE' });
    expect(result.steps).toEqual(['tone']);
    const after = await readRgb(result.path);
    expect(after.data.every((value, i) => i % 4 !== 3 || value === data[i])).toBe(true);
    const jpeg = await enhance(input, { outputFormat: 'JPEG' });
    expect(jpeg.notes).toContainEqual({ code: 'TRANSPARENCY_REPLACED', format: 'JPEG' });
    expect(Math.min(...pixel(await readRgb(jpeg.path), 20, 90))).toBeGreaterThan(250);
  });

  test('with a palette becomes RGB', async () => {
    const input = await file('palette.png', asSharp(photograph).png({ palette: true, colours: 32 }));
    const result = await enhance(input, { upscalingFactor: 'X2' });
    expect(await sharp(result.path).metadata()).toMatchObject({ channels: 3, isPalette: false });
  });

  test('of one bit becomes grey, without a tone correction', async () => {
    const page = flat(64, 64, [255], 'grey');
    page.data.fill(0, 64 * 20, 64 * 24);
    const input = await file(
      'fax.tiff',
      asSharp(page).toColourspace('b-w').tiff({ bitdepth: 1, compression: 'ccittfax4' }),
    );
    expect(await inspectImage(input)).toMatchObject({ bitDepth: 1, colourSpace: 'grey' });
    const result = await enhance(input, { mode: 'VIVID', noiseReductionProfilingMode: 'AUTO' });
    expect(result.steps).toEqual([]);
    expect(pixel(await readRgb(result.path), 5, 22)[0]).toBe(0);
  });

  test('with several frames or TIFF pages gives the first one and a note', async () => {
    const frames = await Promise.all(
      ['#ff0000', '#00ff00'].map((background) =>
        sharp({ create: { width: 40, height: 30, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const animation = await enhance(
      await file('animated.webp', sharp(frames, { join: { animated: true } }).webp({ lossless: true })),
    );
    expect(animation).toMatchObject({
      mimetype: 'image/jpeg',
      width: 40,
      height: 30,
      notes: [{ code: 'FIRST_FRAME_USED', frames: 2 }],
    });
    expect(pixel(await readRgb(animation.path), 5, 5)[0]).toBeGreaterThan(250);
    const pages = await enhance(
      await file('pages.tiff', lossless(sharp(frames, { join: { animated: true } }), 'tiff')),
    );
    expect(pages).toMatchObject({
      mimetype: 'image/tiff',
      width: 40,
      height: 30,
      notes: [{ code: 'FIRST_PAGE_USED', pages: 2 }],
    });
    expect(pixel(await readRgb(pages.path), 5, 5)).toEqual([255, 0, 0]);
  });

  test('of one pixel is enlarged like any other', async () => {
    const result = await enhance(await file('one.png', asSharp(flat(1, 1, [10, 200, 30])).png()), {
      ...EVERYTHING,
      upscalingFactor: 'X4',
    });
    expect([result.width, result.height]).toEqual([4, 4]);
    expect(pixel(await readRgb(result.path), 3, 3)).toEqual([10, 200, 30]);
  });

  /** Changes a SHORT of the first directory of a TIFF, or puts it in place of the resolution's unit. */
  function withTag(tiff: Buffer, tag: number, value: number, instead = tag): Buffer {
    const bytes = Buffer.from(tiff);
    const at = bytes.readUInt32LE(4);
    const entries = Array.from({ length: bytes.readUInt16LE(at) }, (_, i) => at + 2 + i * 12);
    const entry = entries.find((place) => bytes.readUInt16LE(place) === instead)!;
    bytes.writeUInt16LE(tag, entry);
    bytes.writeUInt16LE(3, entry + 2);
    bytes.writeUInt32LE(1, entry + 4);
    bytes.writeUInt32LE(value, entry + 8);
    return bytes;
  }

  test('of a TIFF with a thumbnail first gives the full page and a note', async () => {
    const frames = await Promise.all(
      ['#ff0000', '#00ff00'].map((background) =>
        sharp({ create: { width: 40, height: 30, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const pages = await lossless(sharp(frames, { join: { animated: true } }), 'tiff').toBuffer();
    const result = await enhance(await file('thumbnail-first.tif', withTag(pages, 254, 1)));
    expect(pixel(await readRgb(result.path), 5, 5)).toEqual([0, 255, 0]);
    expect(result.notes).toEqual([{ code: 'THUMBNAIL_SKIPPED' }]);
    const both = await enhance(await file('pages-again.tif', pages));
    expect(pixel(await readRgb(both.path), 5, 5)).toEqual([255, 0, 0]);
  });

  test('with an undeclared fourth channel in TIFF loses that channel', async () => {
    const four = { ...flat(40, 30, [200, 100, 50, 0]) };
    const tiff = await lossless(asSharp(four), 'tiff').toBuffer();
    expect(await inspectImage(await file('alpha.tif', tiff))).toMatchObject({ hasAlpha: true });
    const input = await file('extra.tif', withTag(tiff, 338, 0));
    expect(await inspectImage(input)).toMatchObject({ hasAlpha: false, colourSpace: 'rgb' });
    const result = await enhance(input, { outputFormat: 'PNG' });
    expect(pixel(await readRgb(result.path), 5, 5)).toEqual([200, 100, 50]);
  });

  test('with a TIFF resolution without a unit gives a TIFF without a unit', async () => {
    const tiff = await asSharp(photograph).withMetadata({ density: 300 }).tiff({ compression: 'lzw' }).toBuffer();
    const unit = async (name: string, bytes: Buffer): Promise<boolean> =>
      (await readTiffDirectory((await enhance(await file(name, bytes))).path)).hasUnit;
    expect(await unit('with-unit.tif', tiff)).toBe(true);
    expect(await unit('without-unit.tif', withTag(tiff, 296, 1))).toBe(false);
    const png = await asSharp(photograph).png().toBuffer();
    const made = await enhance(await file('no-size.png', png), { outputFormat: 'TIFF' });
    expect((await readTiffDirectory(made.path)).hasUnit).toBe(false);
    expect((await readRgb(made.path)).data).toEqual(photograph.data);
  });

  test('with a TIFF resolution without a unit reports no dots per inch', async () => {
    const tiff = await asSharp(photograph).withMetadata({ density: 300 }).tiff({ compression: 'lzw' }).toBuffer();
    const density = async (name: string, bytes: Buffer): Promise<number | undefined> =>
      (await sharp((await enhance(await file(name, bytes), { outputFormat: 'PNG' })).path).metadata()).density;
    expect(await density('inch.tif', tiff)).toBe(300);
    expect(await density('no-unit.tif', withTag(tiff, 296, 1))).not.toBe(300);
  });
});
