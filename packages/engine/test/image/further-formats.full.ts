import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { EngineError } from '@burnish/contract/engine';
import { detectMediaType } from '../../src/detect.ts';
import { decodeBmp } from '../../src/image/codecs/bmp.ts';
import { inspectImage } from '../../src/image/inspect.ts';
import { previewImage } from '../../src/image/preview.ts';
import type { Picture } from '../../src/image/picture.ts';
import { bmp, type BmpOptions } from '../support/bmp.ts';
import { asSharp, enhance, fileWriter, pixel, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { psnr } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const file = fileWriter(scratch);
const photograph = syntheticPhotograph(241, 180);

/** The photograph with fewer bits a sample, as BMP widens them again. */
const reduced = (bits: number, grey: boolean): Picture => {
  const max = 2 ** bits - 1;
  const { data, width, height } = photograph;
  const sample = (at: number): number => data[grey ? at - (at % 3) : at]!;
  const kept = Uint8Array.from(data, (_, at) => Math.round(((sample(at) >> (8 - bits)) * 255) / max));
  return { data: kept, width, height, channels: 3, space: 'rgb', hasAlpha: false };
};

describe('a BMP', () => {
  test.each<[BmpOptions, Picture]>([
    [{ bits: 24 }, photograph],
    [{ bits: 24, fromTop: true }, photograph],
    [{ bits: 32 }, photograph],
    [{ bits: 16 }, reduced(5, false)],
    [{ bits: 8 }, reduced(8, true)],
    [{ bits: 4 }, reduced(4, true)],
    [{ bits: 8, runs: true }, reduced(8, true)],
    [{ bits: 4, runs: true }, reduced(4, true)],
  ])('of %j is decoded pixel by pixel', async (options, expected) => {
    const input = await file('a.bmp', bmp(photograph, options));
    expect(await inspectImage(input)).toMatchObject({ mimetype: 'image/bmp', width: 241, height: 180 });
    const result = await enhance(input, { outputFormat: 'PNG' });
    expect(Buffer.from((await readRgb(result.path)).data).equals(Buffer.from(expected.data))).toBe(true);
    expect(Math.round((await sharp(result.path).metadata()).density ?? 0)).toBe(300);
  });

  test('with an alpha mask keeps its alpha, and becomes a JPEG on white by default', async () => {
    const input = await file('alpha.bmp', bmp(photograph, { bits: 32, alpha: true }));
    const kept = await readRgb((await enhance(input, { outputFormat: 'PNG' })).path);
    expect(pixel(kept, 3, 5)).toEqual([...pixel(photograph, 3, 5), 128]);
    expect((await enhance(input)).mimetype).toBe('image/jpeg');
  });

  test('has a preview', async () => {
    const inputPath = await file('preview.bmp', bmp(photograph, { bits: 24 }));
    await previewImage({ inputPath, outputPath: scratch('preview.webp'), side: 64 });
    expect(await sharp(scratch('preview.webp')).metadata()).toMatchObject({ format: 'webp', width: 64 });
  });

  const whole = bmp(photograph, { bits: 24 });
  const changed = (at: number, value: number): Buffer => {
    const bytes = Buffer.from(whole);
    bytes.writeUInt32LE(value >>> 0, at);
    return bytes;
  };
  test.each([
    ['that ends early', whole.subarray(0, whole.length - 3), 'CORRUPT_FILE'],
    ['whose header is longer than the file', changed(14, 1e9), 'CORRUPT_FILE'],
    ['of no width', changed(18, 0), 'CORRUPT_FILE'],
    ['of negative width', changed(18, -5), 'CORRUPT_FILE'],
    ['whose pixels begin behind its end', changed(10, 1e9), 'CORRUPT_FILE'],
    ['of a hundred thousand pixels a side', changed(18, 200_000), 'TOO_MANY_PIXELS'],
    ['of more pixels than the limit', changed(18, 90_000), 'TOO_MANY_PIXELS'],
    ['with a JPEG inside', changed(30, 4), 'UNSUPPORTED_MEDIA_TYPE'],
    ['of OS/2', changed(14, 12), 'UNSUPPORTED_MEDIA_TYPE'],
    ['of 48 bits', changed(28, 48), 'UNSUPPORTED_MEDIA_TYPE'],
  ])('%s is refused', async (name, bytes, code) => {
    const tall = code === 'TOO_MANY_PIXELS' ? Buffer.from(bytes) : bytes;
    if (name.includes('limit')) tall.writeInt32LE(90_000, 22);
    await expect(inspectImage(await file('bad.bmp', tall))).rejects.toMatchObject({ code });
  });

  test.each([8, 4] as const)('of %i bits with incomplete runs is refused', async (bits) => {
    const runs = bmp(photograph, { bits, runs: true });
    const cut = await file('cut-runs.bmp', runs.subarray(0, Math.floor(runs.length * 0.6)));
    await expect(inspectImage(cut)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  test('with any header gives an image of its size or an EngineError', () => {
    const small: Picture = { ...photograph, data: photograph.data.subarray(0, 20 * 10 * 3), width: 20, height: 10 };
    const seeds = ([1, 4, 8, 16, 24, 32] as const).flatMap((bits) => {
      const plain = bmp(small, { bits: bits === 1 ? 4 : bits });
      return [plain, ...(bits === 8 || bits === 4 ? [bmp(small, { bits, runs: true })] : [])];
    });
    // Each field of the header, the compression's codes and whole bytes of the palette and pixels.
    const odd = fc.oneof(fc.nat(70), fc.constantFrom(-1, -10, 0x7fffffff, -0x80000000, 40, 54, 108, 124), fc.integer());
    const change = fc.record({
      at: fc.oneof(fc.constantFrom(10, 14, 18, 22, 26, 28, 30, 46, 54, 58), fc.nat(200)),
      value: odd,
    });
    const seed = fc.nat(seeds.length - 1);
    fc.assert(
      fc.property(seed, fc.array(change, { maxLength: 4 }), fc.nat(400), (which, changes, lost) => {
        const bytes = Buffer.from(seeds[which]!);
        for (const { at, value } of changes) bytes.writeInt32LE(value | 0, Math.min(at, bytes.length - 4));
        const cut = bytes.subarray(0, lost > 200 ? bytes.length : Math.max(0, bytes.length - lost));
        try {
          const { data, width, height, channels } = decodeBmp(cut);
          expect(data.length).toBe(width * height * channels);
        } catch (error) {
          expect(error).toBeInstanceOf(EngineError);
          expect((error as EngineError).code).toMatch(/^(CORRUPT_FILE|UNSUPPORTED_MEDIA_TYPE|TOO_MANY_PIXELS)$/);
        }
      }),
      { numRuns: 20_000 },
    );
  });

  test('with runs outside of the image gives an image of its own size', async () => {
    const runs = bmp(photograph, { bits: 8, runs: true });
    const at = runs.readUInt32LE(10);
    runs.set([0, 2, 255, 255, 255, 9], at);
    runs.set([0, 1], runs.length - 2);
    expect(await enhance(await file('runs.bmp', runs))).toMatchObject({ width: 241, height: 180 });
  });
});

describe('a GIF', () => {
  test('gives its first frame as JPEG, with a note', async () => {
    const frames = await Promise.all(
      [photograph, syntheticPhotograph(241, 180)].map((frame) => asSharp(frame).negate().png().toBuffer()),
    );
    frames[0] = await asSharp(photograph).png().toBuffer();
    const input = await file(
      'moving.gif',
      await sharp(frames, { join: { animated: true } })
        .gif()
        .toBuffer(),
    );
    expect(await inspectImage(input)).toMatchObject({ mimetype: 'image/gif', width: 241, height: 180, frames: 2 });
    const result = await enhance(input, { outputQuality: 95 });
    expect(result).toMatchObject({ mimetype: 'image/jpeg', width: 241, height: 180 });
    expect(result.notes).toEqual(expect.arrayContaining([{ code: 'FIRST_FRAME_USED', frames: 2 }]));
    const flattened = await readRgb(await sharp(input).flatten().png().toBuffer());
    expect(psnr(await readRgb(result.path), flattened)).toBeGreaterThan(28);
  });
});

describe('an AVIF', () => {
  test('of 8 bits can be read and written', async () => {
    const input = await file(
      'a.avif',
      asSharp(photograph).avif({ quality: 90, effort: 0, chromaSubsampling: '4:4:4' }),
    );
    expect(await inspectImage(input)).toMatchObject({ mimetype: 'image/avif', bitDepth: 8, hasAlpha: false });
    const result = await enhance(input, { outputFormat: 'AVIF', outputQuality: 90, upscalingFactor: 'X2' });
    expect(result).toMatchObject({ mimetype: 'image/avif', width: 482, height: 360 });
    expect(await sharp(result.path).metadata()).toMatchObject({ format: 'heif', compression: 'av1', width: 482 });
    const small = await readRgb(await sharp(result.path).resize(241, 180).png().toBuffer());
    expect(psnr(small, photograph)).toBeGreaterThan(28);
    expect((await enhance(input)).mimetype).toBe('image/jpeg');
  });

  test('of 10 bits keeps its depth in PNG', async () => {
    const deep = Uint16Array.from(photograph.data, (value) => value * 257);
    const source = sharp(deep, { raw: { width: 241, height: 180, channels: 3 } }).toColourspace('rgb16');
    const input = await file('deep.avif', source.avif({ quality: 95, bitdepth: 10, effort: 0 }));
    expect(await inspectImage(input)).toMatchObject({ bitDepth: 10 });
    const result = await enhance(input, { outputFormat: 'PNG' });
    expect(await sharp(result.path).metadata()).toMatchObject({ depth: 'ushort' });
    expect(
      psnr(await readRgb(await sharp(result.path).toColourspace('srgb').png().toBuffer()), photograph),
    ).toBeGreaterThan(30);
  });

  test('keeps its alpha', async () => {
    const input = await file('clear.png', asSharp(photograph).ensureAlpha(0.5).png());
    const { path } = await enhance(input, { outputFormat: 'AVIF', outputQuality: 100 });
    expect((await sharp(path).stats()).channels[3]?.mean).toBeCloseTo(127, 0);
  });

  test('is distinguished from HEIC by its compatible brands if the major brand leaves the codec open', async () => {
    const bytes = await asSharp(photograph).avif({ effort: 0 }).toBuffer();
    bytes.write('mif1', 8, 'latin1');
    bytes.write('avif', 16, 'latin1');
    expect(await detectMediaType(bytes)).toBe('image/avif');
  });

  test('with a side or pixels above the limits of AVIF or WebP results is refused before the work', async () => {
    const long = await file(
      'long.png',
      sharp({ create: { width: 9_000, height: 8, channels: 3, background: 'red' } }).png(),
    );
    const refused = { code: 'TOO_MANY_PIXELS' };
    await expect(enhance(long, { outputFormat: 'AVIF', upscalingFactor: 'X2' })).rejects.toMatchObject(refused);
    for (const [outputFormat, side] of [
      ['AVIF', 3_200],
      ['WEBP', 3_600],
    ] as const) {
      const wide = { create: { width: side, height: side, channels: 3, background: 'red' } } as const;
      const large = await file(`large-${side}.png`, sharp(wide).png());
      const asked = { outputFormat, upscalingFactor: 'X2' } as const;
      await expect(enhance(large, asked)).rejects.toMatchObject({ ...refused, field: 'outputFormat' });
    }
  });
});
