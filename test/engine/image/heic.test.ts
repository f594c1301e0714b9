import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { inspectImage } from '../../../src/engine/image/inspect.ts';
import { enhance, pixel, scratchFolder } from '../support/files.ts';
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

  test('that is cut short is CORRUPT_FILE', async () => {
    await writeFile(scratch('cut.heic'), bytes.subarray(0, bytes.length - 120));
    await expect(inspectImage(scratch('cut.heic'))).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    await writeFile(scratch('head.heic'), bytes.subarray(0, 200));
    await expect(inspectImage(scratch('head.heic'))).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });
});
