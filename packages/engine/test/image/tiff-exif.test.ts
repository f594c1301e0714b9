import { readFile, writeFile } from 'node:fs/promises';
import ExifReader from 'exifreader';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { exifBlock, readExifFields } from '../../src/image/metadata/exif-fields.ts';
import { asSharp, enhance, scratchFolder } from '../support/files.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const photograph = syntheticPhotograph(120, 90);
const MAKER_NOTE_LEFT_OUT = { code: 'MAKER_NOTE_REMOVED' };
const EXIF = {
  IFD0: {
    Make: 'Hill & Dale',
    Model: 'H1',
    Artist: 'Somebody',
    Copyright: 'Somebody, 2026',
    DateTime: '2026:05:01 10:20:30',
  },
  IFD2: { ExposureTime: '1/250', FNumber: '28/10', ISOSpeedRatings: '400', DateTimeOriginal: '2026:05:01 10:20:30' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 1234/100', GPSLongitudeRef: 'E', GPSLongitude: '13/1 24/1 0/1' },
};

async function photographWithExif(): Promise<Buffer> {
  return await asSharp(photograph).withExif(EXIF).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();
}

/** Fields as another program reads them. */
async function readByOthers(path: string): Promise<Record<string, unknown>> {
  const { exif, gps } = ExifReader.load(await readFile(path), { expanded: true });
  return {
    make: exif?.Make?.description,
    model: exif?.Model?.description,
    artist: exif?.Artist?.description,
    copyright: exif?.Copyright?.description,
    taken: exif?.DateTimeOriginal?.description,
    exposure: exif?.ExposureTime?.value,
    aperture: exif?.FNumber?.value,
    iso: exif?.ISOSpeedRatings?.value,
    latitude: gps?.Latitude?.toFixed(4),
    longitude: gps?.Longitude?.toFixed(4),
  };
}

const EXPECTED = {
  make: 'Hill & Dale',
  model: 'H1',
  artist: 'Somebody',
  copyright: 'Somebody, 2026',
  taken: '2026:05:01 10:20:30',
  exposure: [1, 250],
  aperture: [28, 10],
  iso: 400,
  latitude: '52.5201',
  longitude: '13.4000',
};

/** A big-endian TIFF of one strip. */
function bigEndian(fields: { tag: number; type: number; count: number; values: Buffer }[], pixels: Buffer): Buffer {
  const head = Buffer.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8]);
  const directory = Buffer.alloc(2 + fields.length * 12 + 4);
  directory.writeUInt16BE(fields.length);
  const parts: Buffer[] = [];
  let end = head.length + directory.length;
  fields.forEach(({ tag, type, count, values }, index) => {
    const at = 2 + index * 12;
    directory.writeUInt16BE(tag, at);
    directory.writeUInt16BE(type, at + 2);
    directory.writeUInt32BE(count, at + 4);
    if (values.length <= 4) values.copy(directory, at + 8);
    else {
      directory.writeUInt32BE(end, at + 8);
      parts.push(values);
      end += values.length;
    }
  });
  return Buffer.concat([head, directory, ...parts, pixels]);
}

describe('EXIF of a TIFF', () => {
  test('equals that of the JPEG before: camera, time, exposure and position', async () => {
    const input = scratch('camera.jpeg');
    await writeFile(input, await photographWithExif());
    expect(await readByOthers(input)).toEqual(EXPECTED);
    const result = await enhance(input, { outputFormat: 'TIFF' });
    expect(await readByOthers(result.path)).toEqual(EXPECTED);
    expect(result.notes).not.toContainEqual(MAKER_NOTE_LEFT_OUT);
    const opened = sharp(result.path, { failOn: 'warning' });
    expect(await opened.metadata()).toMatchObject({ width: 90, height: 120 });
    await opened.stats();
  });

  test.each(['JPEG', 'PNG', 'WEBP', 'TIFF'] as const)('goes into a %s', async (outputFormat) => {
    const camera = scratch('camera.jpeg');
    await writeFile(camera, await photographWithExif());
    const tiff = (await enhance(camera, { outputFormat: 'TIFF' })).path;
    const result = await enhance(tiff, { outputFormat, upscalingFactor: 'X2' });
    expect(await readByOthers(result.path)).toEqual(EXPECTED);
  });

  test('is left out of a result without metadata', async () => {
    const input = scratch('camera.jpeg');
    await writeFile(input, await photographWithExif());
    const result = await enhance(input, { outputFormat: 'TIFF', keepMetadata: false });
    expect(await readByOthers(result.path)).toMatchObject({ make: undefined, taken: undefined, latitude: undefined });
  });

  test('is read in big-endian files too, and a MakerNote is left out with a note', async () => {
    const short = (value: number): Buffer => Buffer.from([value >> 8, value & 255, 0, 0]);
    const long = (value: number): Buffer => Buffer.from([0, 0, value >> 8, value & 255]);
    const pixels = Buffer.alloc(64 * 48, 128);
    const field = (tag: number, type: number, count: number, values: Buffer) => ({ tag, type, count, values });
    const main = [
      field(256, 3, 1, short(64)),
      field(257, 3, 1, short(48)),
      field(258, 3, 1, short(8)),
      field(259, 3, 1, short(1)),
      field(262, 3, 1, short(1)),
      field(271, 2, 12, Buffer.from('Hill & Dale\0')),
      field(273, 4, 1, long(0)),
      field(277, 3, 1, short(1)),
      field(278, 3, 1, short(48)),
      field(279, 4, 1, long(pixels.length)),
      field(0x8769, 4, 1, long(0)),
    ];
    const exifAt = bigEndian(main, Buffer.alloc(0)).length;
    const rational = Buffer.alloc(8);
    rational.writeUInt32BE(1, 0);
    rational.writeUInt32BE(250, 4);
    const exif = Buffer.alloc(2 + 2 * 12 + 4);
    exif.writeUInt16BE(2);
    exif.writeUInt16BE(0x829a, 2);
    exif.writeUInt16BE(5, 4);
    exif.writeUInt32BE(1, 6);
    exif.writeUInt32BE(exifAt + exif.length, 10);
    exif.writeUInt16BE(0x927c, 14);
    exif.writeUInt16BE(7, 16);
    exif.writeUInt32BE(4, 18);
    main.find(({ tag }) => tag === 0x8769)!.values = long(exifAt);
    main.find(({ tag }) => tag === 273)!.values = long(exifAt + exif.length + rational.length);
    const path = scratch('big-endian.tif');
    await writeFile(path, bigEndian(main, Buffer.concat([exif, rational, pixels])));
    const result = await enhance(path, { outputFormat: 'JPEG' });
    expect(await readByOthers(result.path)).toMatchObject({ make: 'Hill & Dale', exposure: [1, 250] });
    expect(result.notes).toContainEqual(MAKER_NOTE_LEFT_OUT);
  });

  test('of a JPEG with a MakerNote loses that note, which the notes say', async () => {
    const jpeg = await photographWithExif();
    const entry = jpeg.indexOf(Buffer.from([0x9a, 0x82, 0x05, 0x00]));
    expect(entry).toBeGreaterThan(0);
    // ExposureTime becomes a MakerNote of one byte.
    Buffer.from([0x7c, 0x92, 0x07, 0x00]).copy(jpeg, entry);
    const input = scratch('maker-note.jpeg');
    await writeFile(input, jpeg);
    const result = await enhance(input, { outputFormat: 'TIFF' });
    expect(result.notes).toContainEqual(MAKER_NOTE_LEFT_OUT);
    expect(await readByOthers(result.path)).toEqual({ ...EXPECTED, exposure: undefined });
    expect((await enhance(input, { outputFormat: 'JPEG' })).notes).not.toContainEqual(MAKER_NOTE_LEFT_OUT);
  });

  test('a damaged directory gives no EXIF and no failure, whatever byte is altered', async () => {
    const camera = scratch('camera.jpeg');
    await writeFile(camera, await photographWithExif());
    const { exif } = await sharp(camera).metadata();
    const block = exif!.subarray(6);
    const little = block.readUInt16BE() === 0x4949;
    const at = little ? block.readUInt32LE(4) : block.readUInt32BE(4);
    for (let position = 8; position < block.length; position += 1) {
      for (const value of [0, 255]) {
        const altered = Buffer.from(block);
        altered[position] = value;
        const read = (from: number, length: number) => Promise.resolve(altered.subarray(from, from + length));
        const fields = await readExifFields(read, at, { little, big: false });
        const made = fields && exifBlock(fields);
        expect(made?.length ?? 0).toBeLessThanOrEqual(61_000);
      }
    }
  });

  test('fields that do not fit into a JPEG are left out, the longest first', async () => {
    const long = (tag: number, length: number) => ({ tag, type: 7, count: length, values: Buffer.alloc(length, 1) });
    const fields = [1, 2, 3, 4, 5, 6].map((each) => long(0x9000 + each, 10_000 + each));
    const source = exifBlock({ main: [], exif: fields, gps: [long(0x1, 4)], hasMakerNote: false });
    const read = (from: number, length: number) => Promise.resolve(source.subarray(from, from + length));
    const kept = await readExifFields(read, 8, { little: true, big: false });
    expect(kept?.exif.map(({ values }) => values.length)).toEqual([10_001, 10_002, 10_003, 10_004, 10_005]);
    expect(kept?.gps).toHaveLength(1);
  });
});
