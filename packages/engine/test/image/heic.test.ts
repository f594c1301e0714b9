import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { inspectImage } from '../../src/image/inspect.ts';
import { asSharp, enhance, pixel, scratchFolder } from '../support/files.ts';
import { syntheticPhotograph } from '../support/photograph.ts';
import { readRgb } from '../support/read-rgb.ts';

const scratch = await scratchFolder();
const bytes = await readFile(fileURLToPath(new URL('../fixtures/patches.heic', import.meta.url)));
await writeFile(scratch('patches.heic'), bytes);

/** As `fixtures/make-patches.py` painted them, from the upper left. */
const COLOURS = [
  [200, 40, 40],
  [40, 180, 60],
  [50, 70, 200],
  [230, 220, 40],
  [20, 20, 20],
  [128, 128, 128],
  [240, 240, 240],
  [200, 120, 160],
];

/** A box of ISO/IEC 14496-12. */
function box(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + data.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, data]);
}

/** The entry of an item that applies a gain map, hidden and of version 2 (ISO/IEC 14496-12, 8.11.6). */
const TONE_MAP = box('infe', Buffer.from('\x02\0\0\x01\0\x03\0\0tmap\0', 'latin1'));

/** Returns the HEIC or AVIF with a box at the end of the innermost of some nested boxes, and with the positions of its pixels in `iloc` moved. */
function withBox(file: Buffer, parents: readonly string[], added: Buffer): Buffer {
  const starts = parents.map((type) => file.indexOf(type, 0, 'latin1') - 4);
  const innermost = starts.at(-1)!;
  const end = innermost + file.readUInt32BE(innermost);
  const result = Buffer.concat([file.subarray(0, end), added, file.subarray(end)]);
  for (const start of starts) result.writeUInt32BE(file.readUInt32BE(start) + added.length, start);
  const [meta, iloc] = ['meta', 'iloc'].map((type) => file.indexOf(type, 0, 'latin1') - 4) as [number, number];
  for (let at = iloc; at < iloc + file.readUInt32BE(iloc); at += 1) {
    const position = file.readUInt32BE(at);
    const afterMeta = position >= meta + file.readUInt32BE(meta) && position < file.length;
    // The number of extents follows a position.
    if (afterMeta && file.readUInt16BE(at + 4) === 1) result.writeUInt32BE(position + added.length, at);
  }
  return result;
}

describe('a HEIC', () => {
  test('is inspected upright, with its profile', async () => {
    expect(await inspectImage(scratch('patches.heic'))).toMatchObject({
      mimetype: 'image/heic',
      width: 128,
      height: 64,
      hasProfile: true,
      frames: 1,
    });
  });

  test('is rotated once, although the file states it twice, and its colours are exact to within 5 levels', async () => {
    const result = await enhance(scratch('patches.heic'), { outputFormat: 'PNG' });
    expect([result.width, result.height]).toEqual([128, 64]);
    const picture = await readRgb(result.path);
    COLOURS.forEach((colour, i) => {
      const found = pixel(picture, 16 + 32 * (i % 4), 16 + 32 * Math.floor(i / 4));
      for (let c = 0; c < 3; c += 1) expect(Math.abs(found[c]! - colour[c]!)).toBeLessThanOrEqual(5);
    });
  });

  test('becomes a JPEG that keeps profile and EXIF, with orientation 1', async () => {
    const result = await enhance(scratch('patches.heic'));
    const metadata = await sharp(result.path).metadata();
    expect(metadata).toMatchObject({ format: 'jpeg', width: 128, height: 64, orientation: 1 });
    expect(metadata.icc?.subarray(36, 40).toString()).toBe('acsp');
    expect(metadata.exif?.includes('Burnish')).toBe(true);
  });

  test.each([
    [
      'of Apple',
      ['meta', 'iprp', 'ipco'],
      box('auxC', Buffer.from('\0\0\0\0urn:com:apple:photo:2020:aux:hdrgainmap\0')),
    ],
    ['of ISO 21496-1', ['meta', 'iinf'], TONE_MAP],
  ])('with an HDR gain map %s loses it, and a note reports that before the charge', async (_, parents, added) => {
    await writeFile(scratch('gain-map.heic'), withBox(bytes, parents, added));
    const { notes, width } = await inspectImage(scratch('gain-map.heic'));
    expect(notes).toEqual([{ code: 'GAIN_MAP_REMOVED' }]);
    expect(width).toBe(128);
    expect((await inspectImage(scratch('patches.heic'))).notes).toEqual([]);
    const result = await enhance(scratch('gain-map.heic'), { outputFormat: 'PNG' });
    expect(pixel(await readRgb(result.path), 16, 16)[0]).toBeGreaterThan(190);
  });

  test('and an AVIF report a gain map alike', async () => {
    const avif = await asSharp(syntheticPhotograph(64, 64)).avif().toBuffer();
    await writeFile(scratch('plain.avif'), avif);
    await writeFile(scratch('gain-map.avif'), withBox(avif, ['meta', 'iinf'], TONE_MAP));
    expect((await inspectImage(scratch('gain-map.avif'))).notes).toEqual([{ code: 'GAIN_MAP_REMOVED' }]);
    expect((await inspectImage(scratch('plain.avif'))).notes).toEqual([]);
  });

  test('that is cut short is CORRUPT_FILE', async () => {
    await writeFile(scratch('cut.heic'), bytes.subarray(0, bytes.length - 120));
    await expect(inspectImage(scratch('cut.heic'))).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    await writeFile(scratch('head.heic'), bytes.subarray(0, 200));
    await expect(inspectImage(scratch('head.heic'))).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });
});
