import { readFile, readdir, writeFile } from 'node:fs/promises';
import { deflateSync, crc32 } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { EngineError } from '@burnish/contract/engine';
import { inspectImage } from '../../src/image/inspect.ts';
import { bmp } from '../support/bmp.ts';
import { asSharp, enhance, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
/** One test alone writes there. */
const folder = await scratchFolder();
const photograph = syntheticPhotograph(200, 150);

async function file(name: string, bytes: Uint8Array): Promise<string> {
  await writeFile(scratch(name), bytes);
  return scratch(name);
}

/** A PNG of white pixels, one bit each: a few hundred kB for hundreds of megapixels. */
function hugePng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const bytes = Buffer.alloc(body.length + 8);
    bytes.writeUInt32BE(data.length, 0);
    body.copy(bytes, 4);
    bytes.writeUInt32BE(crc32(body), body.length + 4);
    return bytes;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A TIFF of one strip of zeros, grey. @param format 1 whole numbers, 2 with a sign, 3 floating point */
function greyTiff(bits: number, format: 1 | 2 | 3, side = 40): Buffer {
  const samples = Buffer.alloc((side * side * bits) / 8);
  const tags = [
    [256, side],
    [257, side],
    [258, bits],
    [259, 1],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, side],
    [279, samples.length],
    [339, format],
  ];
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(8 + samples.length, 4);
  const directory = Buffer.alloc(2 + tags.length * 12 + 4);
  directory.writeUInt16LE(tags.length);
  for (const [i, [tag, value]] of tags.entries()) {
    directory.writeUInt16LE(tag!, 2 + i * 12);
    directory.writeUInt16LE(4, 4 + i * 12);
    directory.writeUInt32LE(1, 6 + i * 12);
    directory.writeUInt32LE(value!, 10 + i * 12);
  }
  return Buffer.concat([head, samples, directory]);
}

describe('refusals of images', () => {
  test('report TOO_MANY_PIXELS for a pixel bomb', async () => {
    const bomb = await file('bomb.png', hugePng(14_000, 14_000));
    await expect(inspectImage(bomb)).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' });
    await expect(enhance(bomb)).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' });
  });

  test('allow 100 megapixels at their size, and report TOO_MANY_PIXELS for enlarging them before decoding', async () => {
    const large = await file('large.png', hugePng(10_000, 10_000));
    expect(await enhance(large, { mode: 'ENHANCE' })).toMatchObject({ width: 10_000, height: 10_000 });
    await expect(enhance(large, { upscalingFactor: 'X2' })).rejects.toMatchObject({
      code: 'TOO_MANY_PIXELS',
      field: 'upscalingFactor',
    });
    const half = await file('half.png', hugePng(10_000, 5000));
    await expect(enhance(half, { upscalingFactor: 'X4' })).rejects.toMatchObject({
      code: 'TOO_MANY_PIXELS',
      field: 'upscalingFactor',
    });
  }, 60_000);

  test('name a remedy for a side that JPEG cannot store', async () => {
    const long = await file('long.png', hugePng(20_000, 20));
    const refused = enhance(long, { upscalingFactor: 'X4', outputFormat: 'JPEG' });
    await expect(refused).rejects.toMatchObject({
      code: 'TOO_MANY_PIXELS',
      message: expect.stringContaining('PNG or TIFF'),
    });
    await expect(enhance(long, { outputFormat: 'WEBP' })).rejects.toMatchObject({
      code: 'TOO_MANY_PIXELS',
      message: expect.stringContaining('JPEG or PNG or TIFF'),
    });
    expect(await enhance(long, { upscalingFactor: 'X4' })).toMatchObject({ width: 80_000, height: 80 });
  });

  test.each(['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const)(
    'report CORRUPT_FILE for a truncated %s when it is inspected and when it is enhanced',
    async (format) => {
      const whole = await asSharp(photograph)[format]().toBuffer();
      const cut = await file(`cut.${format}`, whole.subarray(0, Math.floor(whole.length * 0.6)));
      await expect(inspectImage(cut)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
      await expect(enhance(cut)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    },
  );

  test('depend on the content: a false name or first line changes nothing', async () => {
    const png = await asSharp(photograph).png().toBuffer();
    expect(await inspectImage(await file('lie.jpg', png))).toMatchObject({ mimetype: 'image/png' });
    const headOfJpeg = Buffer.concat([(await asSharp(photograph).jpeg().toBuffer()).subarray(0, 20), png.subarray(20)]);
    await expect(inspectImage(await file('chimera.jpg', headOfJpeg))).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  test('report UNSUPPORTED_MEDIA_TYPE for another format', async () => {
    const others = [
      Buffer.from('8BPS\0\x01 of Photoshop', 'latin1'),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      Buffer.from('%PDF-1.4'),
      Buffer.alloc(0),
    ];
    for (const [i, bytes] of others.entries()) {
      await expect(inspectImage(await file(`other${i}`, bytes))).rejects.toMatchObject({
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    }
  });

  test('report UNSUPPORTED_MEDIA_TYPE for samples without declared black and white', async () => {
    expect(await inspectImage(await file('whole.tif', greyTiff(16, 1)))).toMatchObject({ bitDepth: 16 });
    const others = [greyTiff(8, 2), greyTiff(16, 2), greyTiff(32, 1), greyTiff(32, 2), greyTiff(32, 3)];
    // Kinds that the decoder does not know are not called damaged.
    others.push(greyTiff(64, 3), greyTiff(12, 1), greyTiff(24, 3));
    for (const [i, bytes] of others.entries()) {
      await expect(inspectImage(await file(`samples${i}.tif`, bytes))).rejects.toMatchObject({
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    }
  });

  test.each([
    ['ZSTD', 50_000],
    ['LZMA', 34_925],
    ['LERC', 34_887],
    ['PNG', 34_933],
    ['one that nobody knows', 4711],
  ])('report UNSUPPORTED_MEDIA_TYPE for a TIFF with the compression %s', async (_, compression) => {
    const bytes = await asSharp(photograph).tiff({ compression: 'lzw' }).toBuffer();
    const at = bytes.readUInt32LE(4);
    const entries = Array.from({ length: bytes.readUInt16LE(at) }, (_, i) => at + 2 + i * 12);
    bytes.writeUInt16LE(compression, entries.find((entry) => bytes.readUInt16LE(entry) === 259)! + 8);
    const input = await file(`compression${compression}.tif`, bytes);
    await expect(inspectImage(input)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    await expect(enhance(input)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  test('of a broken file contain no path and leave no file', async () => {
    const readable = await readRgb(await asSharp(photograph).resize(40).png().toBuffer());
    const compressed = await Promise.all([
      ...(['jpeg', 'png', 'tiff', 'webp'] as const).map((format) =>
        sharp(photograph.data, { raw: { width: 200, height: 150, channels: 3 } })
          .resize(40)
          [format]()
          .toBuffer(),
      ),
      readFile(new URL('../fixtures/patches.heic', import.meta.url)),
      asSharp(photograph).resize(40).avif({ effort: 0 }).toBuffer(),
      asSharp(photograph).resize(40).gif().toBuffer(),
    ]);
    const bitmaps = ([8, 24, 32] as const).map((bits) => bmp(readable, { bits }));
    const seeds = [...compressed, ...bitmaps, bmp(readable, { bits: 8, runs: true })];
    const wound = fc.record({
      seed: fc.nat(seeds.length - 1),
      cut: fc.double({ min: 0.1, max: 1, noNaN: true }),
      hits: fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(255)), { maxLength: 6 }),
    });
    const property = fc.asyncProperty(wound, async ({ seed, cut, hits }) => {
      const bytes = Buffer.from(seeds[seed]!.subarray(0, Math.ceil(seeds[seed]!.length * cut)));
      for (const [at, value] of hits) bytes[Math.floor(at * bytes.length)] = value;
      await writeFile(folder('broken'), bytes);
      try {
        await enhance(folder('broken'), { mode: 'ENHANCE' });
      } catch (error) {
        expect(error).toBeInstanceOf(EngineError);
        expect((error as EngineError).code).toMatch(
          /^(CORRUPT_FILE|UNSUPPORTED_MEDIA_TYPE|TOO_MANY_PIXELS|PROCESSING_LIMIT)$/,
        );
        expect((error as EngineError).message).not.toMatch(/\//);
        expect((await readdir(folder('.'))).filter((name) => /\.(bare|tagged)$/.test(name))).toEqual([]);
      }
    });
    await fc.assert(property, { numRuns: 300 });
  }, 120_000);
});
