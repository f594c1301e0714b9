import { readFile, writeFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import sharp, { type Metadata } from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { inspectImage } from '../../src/image/inspect.ts';
import { readExifLayout, withResolution } from '../../src/image/metadata/exif.ts';
import { bareExif, uprightExif } from '../../src/image/metadata/metadata.ts';
import { asSharp, enhance, pixel, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const photograph = syntheticPhotograph(120, 90);
const XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:PixelXDimension="90" exif:PixelYDimension="120" title="Hills"/></rdf:RDF></x:xmpmeta>';

async function tagged(format: 'jpeg' | 'png'): Promise<string> {
  const path = scratch(`tagged.${format}`);
  const bytes = await asSharp(photograph)
    .withIccProfile('p3')
    .withExif({ IFD0: { Copyright: 'Somebody' }, IFD2: { PixelXDimension: '120' } })
    .withXmp(XMP)
    .withMetadata({ orientation: 6, density: 300, icc: 'p3' })
    [format]({ quality: 100 })
    .toBuffer();
  await writeFile(path, bytes);
  return path;
}

/** Horizontal and vertical resolution, and the unit (2: inch), of an EXIF block. */
function resolutionIn(exif: Buffer): number[] {
  const { view, littleEndian, entries } = readExifLayout(Uint8Array.from(bareExif(exif)))!;
  const rational = (tag: number): number => {
    const at = view.getUint32(entries.get(tag)! + 8, littleEndian);
    return view.getUint32(at, littleEndian) / view.getUint32(at + 4, littleEndian);
  };
  return [rational(0x011a), rational(0x011b), view.getUint16(entries.get(0x0128)! + 8, littleEndian)];
}

/** sharp reads the resolution of a WebP or AVIF from no place. */
const densityOf = ({ density, exif }: Metadata): number | undefined => density ?? (exif && resolutionIn(exif)[0]);

describe('metadata', () => {
  test.each(['jpeg', 'png'] as const)('of a %s is kept and updated to the new pixels', async (format) => {
    const input = await tagged(format);
    const before = await sharp(input).metadata();
    const result = await enhance(input, { upscalingFactor: 'X2' });
    const after = await sharp(result.path).metadata();
    expect(after.icc?.equals(before.icc!)).toBe(true);
    expect(after.exif?.includes('Somebody')).toBe(true);
    expect(after.orientation).toBe(1);
    expect(after.xmpAsString).toContain('title="Hills"');
    expect(after.xmpAsString).toContain('tiff:Orientation="1"');
    expect(after.xmpAsString).toContain('exif:PixelXDimension="180" exif:PixelYDimension="240"');
    expect(after.density).toBe(300);
    expect([after.width, after.height]).toEqual([180, 240]);
  });

  test.each(['JPEG', 'PNG', 'TIFF', 'WEBP', 'AVIF'] as const)(
    'loses EXIF and XMP in %s on request, but keeps the profile, which defines the colour',
    async (outputFormat) => {
      const input = await tagged('jpeg');
      const result = await enhance(input, { keepMetadata: false, outputFormat });
      const after = await sharp(result.path).metadata();
      expect([after.exif, after.xmp]).toEqual([undefined, undefined]);
      expect(after.icc?.equals((await sharp(input).metadata()).icc!)).toBe(true);
    },
  );

  test.each(['jpeg', 'png'] as const)('of a %s is written to a WebP: profile, EXIF and XMP', async (format) => {
    const input = await tagged(format);
    const result = await enhance(input, { outputFormat: 'WEBP' });
    const after = await sharp(result.path, { failOn: 'warning' }).metadata();
    expect(after).toMatchObject({ format: 'webp', width: 90, height: 120, orientation: 1, hasAlpha: false });
    expect(after.icc?.equals((await sharp(input).metadata()).icc!)).toBe(true);
    expect(after.exif?.includes('Somebody')).toBe(true);
    expect(after.xmpAsString).toContain('title="Hills"');
    expect((await readFile(result.path)).readUInt32LE(4)).toBe((await readFile(result.path)).length - 8);
    expect((await sharp(result.path).stats()).channels).toHaveLength(3);
  });

  test.each(['jpeg', 'png'] as const)('of a %s is written to an AVIF: profile, EXIF and XMP', async (format) => {
    const input = await tagged(format);
    const result = await enhance(input, { outputFormat: 'AVIF' });
    const after = await sharp(result.path, { failOn: 'warning' }).metadata();
    expect(after).toMatchObject({ format: 'heif', mediaType: 'image/avif', width: 90, height: 120, hasAlpha: false });
    expect(after.icc?.equals((await sharp(input).metadata()).icc!)).toBe(true);
    expect(after.exif?.includes('Somebody')).toBe(true);
    expect(after.xmpAsString).toContain('title="Hills"');
    expect(after.orientation ?? 1).toBe(1);
  });

  test.each(['JPEG', 'PNG', 'TIFF', 'WEBP', 'AVIF'] as const)(
    'of a %s has the requested resolution in place of that of the source',
    async (outputFormat) => {
      const target = { targetWidthCm: 2, targetDpi: 150, outputFormat };
      const result = await enhance(await tagged('jpeg'), target);
      const after = await sharp(result.path, { failOn: 'warning' }).metadata();
      expect([after.width, densityOf(after)]).toEqual([118, 150]);
      expect(after.xmpAsString).toContain('title="Hills"');
      // sharp gives a TIFF no EXIF; the description of the source is a field of its directory.
      const bytes = outputFormat === 'TIFF' ? await readFile(result.path) : after.exif!;
      expect(bytes.includes('Somebody')).toBe(true);
      if (outputFormat !== 'TIFF') expect(resolutionIn(after.exif!)).toEqual([150, 150, 2]);
      const bare = await enhance(await tagged('jpeg'), { ...target, keepMetadata: false });
      const bareFacts = await sharp(bare.path).metadata();
      expect([densityOf(bareFacts), bareFacts.exif?.includes('Somebody') ?? false]).toEqual([150, false]);
    },
  );

  test('of a JPEG in CMYK, which has no JFIF header, has the requested resolution in EXIF', async () => {
    const input = scratch('cmyk.jpg');
    await asSharp(photograph).toColourspace('cmyk').jpeg().toFile(input);
    const { path } = await enhance(input, { targetWidthCm: 1, targetDpi: 240 });
    const after = await sharp(path).metadata();
    expect([after.space, after.density]).toEqual(['cmyk', 240]);
  });

  test('of a source with another byte order keeps every field beside the requested resolution', () => {
    const big = Buffer.from(
      '4d4d002a 00000008 0002 010e 0002 00000004 41626300 011a 0005 00000001 00000026 00000000 00000048 00000001'.replaceAll(
        ' ',
        '',
      ),
      'hex',
    );
    const changed = withResolution(big, 300);
    expect(resolutionIn(Buffer.from(changed))).toEqual([300, 300, 2]);
    expect(Buffer.from(changed).subarray(8, big.length).equals(big.subarray(8))).toBe(true);
    expect(readExifLayout(changed)!.entries.has(0x010e)).toBe(true);
    expect(resolutionIn(Buffer.from(withResolution(Buffer.from('nonsense'), 72)))).toEqual([72, 72, 2]);
  });

  test('of a WebP includes alpha beside a profile', async () => {
    const input = scratch('clear.png');
    await asSharp(photograph).ensureAlpha(0.5).withIccProfile('p3').png().toFile(input);
    const result = await enhance(input, { outputFormat: 'WEBP', outputQuality: 100 });
    const after = sharp(result.path, { failOn: 'warning' });
    expect(await after.metadata()).toMatchObject({ format: 'webp', hasAlpha: true });
    expect((await after.stats()).channels[3]).toMatchObject({ min: 127, max: 127 });
    expect((await after.metadata()).icc).toBeDefined();
  });

  test('of a JPEG keeps profile and XMP in a TIFF', async () => {
    const result = await enhance(await tagged('jpeg'), { outputFormat: 'TIFF' });
    const after = await sharp(result.path).metadata();
    expect(after.icc?.equals((await sharp(scratch('tagged.jpeg')).metadata()).icc!)).toBe(true);
    expect(after.xmpAsString).toContain('title="Hills"');
  });

  test('of a PNG keeps cICP, gAMA and cHRM in a PNG; elsewhere the notes report their removal', async () => {
    const png = await asSharp(photograph).png().toBuffer();
    const chunk = (type: string, data: Buffer): Buffer => {
      const bytes = Buffer.alloc(12 + data.length);
      bytes.writeUInt32BE(data.length);
      bytes.write(type, 4, 'latin1');
      data.copy(bytes, 8);
      bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
      return bytes;
    };
    const colour = Buffer.concat([
      chunk('cICP', Buffer.from([12, 13, 0, 1])),
      chunk('gAMA', Buffer.from([0, 0, 177, 143])),
      chunk('cHRM', Buffer.alloc(32, 1)),
    ]);
    const input = scratch('coloured.png');
    await writeFile(input, Buffer.concat([png.subarray(0, 33), colour, png.subarray(33)]));
    const kept = await enhance(input, { upscalingFactor: 'X2', engineTier: 'PLAIN' });
    expect((await readFile(kept.path)).includes(colour)).toBe(true);
    expect(kept.notes).not.toContainEqual({ code: 'PNG_COLOUR_REMOVED' });
    expect((await enhance(input, { outputFormat: 'TIFF' })).notes).toContainEqual({ code: 'PNG_COLOUR_REMOVED' });
  });

  test('of a JPEG loses gain maps and further images, and the notes report that before the charge', async () => {
    const gainMap = scratch('gain-map.jpg');
    const xmp = XMP.replace('title=', 'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0" title=');
    await asSharp(photograph).withXmp(xmp).jpeg().toFile(gainMap);
    expect((await inspectImage(gainMap)).notes).toEqual([{ code: 'GAIN_MAP_REMOVED' }]);
    const jpeg = await asSharp(photograph).jpeg().toBuffer();
    const mpf = Buffer.concat([Buffer.from([0xff, 0xe2, 0, 10]), Buffer.from('MPF\0II*\0', 'latin1')]);
    const several = scratch('several.jpg');
    await writeFile(several, Buffer.concat([jpeg.subarray(0, 2), mpf, jpeg.subarray(2)]));
    expect((await inspectImage(several)).notes).toEqual([{ code: 'FURTHER_PICTURES_IGNORED' }]);
    const plain = scratch('plain.jpg');
    await writeFile(plain, jpeg);
    expect((await inspectImage(plain)).notes).toEqual([]);
  });

  test('preserves the samples of wide gamut: the profile is copied and never applied', async () => {
    const input = await tagged('png');
    const result = await enhance(input);
    const before = await readRgb(await sharp(input, { ignoreIcc: true }).autoOrient().png().toBuffer());
    expect(pixel(await readRgb(result.path), 40, 60)).toEqual(pixel(before, 40, 60));
  });

  test('splits a profile over several JPEG segments if it is too large for one', async () => {
    const icc = Buffer.alloc(150_000, 3);
    const { jpegSegments } = await import('../../src/image/codecs/jpeg.ts');
    const plain = await asSharp(photograph).jpeg().toBuffer();
    const { at, bytes } = jpegSegments(plain, { icc, exif: undefined, xmp: undefined, density: undefined });
    const whole = Buffer.concat([plain.subarray(0, at), bytes, plain.subarray(at)]);
    expect((await sharp(whole).metadata()).icc?.equals(icc)).toBe(true);
  });

  test('drops unreadable EXIF, and no damage causes an exception', () => {
    expect(uprightExif(Buffer.from('nonsense'), 1, 1)).toBeUndefined();
    for (let length = 0; length < 40; length += 1) {
      const bytes = Buffer.from('II*\0\x08\0\0\0\xff\xff', 'latin1');
      expect(uprightExif(Buffer.concat([bytes, Buffer.alloc(length, 255)]), 1, 1)).toBeUndefined();
    }
  });
});
