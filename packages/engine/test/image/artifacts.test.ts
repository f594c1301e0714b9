import { describe, expect, test } from '@jest/globals';
import { reduceArtifacts } from '../../src/image/steps/artifacts.ts';
import { readJpegTables } from '../../src/image/codecs/jpeg.ts';
import { asSharp } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { copyOf, psnr } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const photograph = syntheticPhotograph(320, 240);
const jpeg = (quality: number, chromaSubsampling = '4:2:0'): Promise<Buffer> =>
  asSharp(photograph).jpeg({ quality, chromaSubsampling }).toBuffer();

describe('reduceArtifacts', () => {
  test.each([
    [20, '4:2:0'],
    [40, '4:2:0'],
    [40, '4:4:4'],
    [75, '4:2:0'],
  ])('brings a JPEG of quality %i, %s, closer to the original', async (quality, sampling) => {
    const file = await jpeg(quality, sampling);
    const decoded = await readRgb(file);
    const cleaned = copyOf(decoded);
    reduceArtifacts(cleaned, readJpegTables(file)!, false);
    expect(psnr(cleaned, photograph)).toBeGreaterThan(psnr(decoded, photograph) + 0.2);
  });
});

describe('readJpegTables', () => {
  test.each([25, 35, 50, 75, 92])('estimates quality %i to within 2', async (quality) => {
    expect(Math.abs(readJpegTables(await jpeg(quality))!.quality - quality)).toBeLessThanOrEqual(2);
  });

  test('detects the subsampling of chroma and a grey file without any', async () => {
    expect(readJpegTables(await jpeg(80, '4:2:0'))).toMatchObject({ subsampled: true });
    expect(readJpegTables(await jpeg(80, '4:4:4'))).toMatchObject({ subsampled: false });
    const grey = await asSharp(photograph).toColourspace('b-w').jpeg().toBuffer();
    expect(readJpegTables(grey)).toMatchObject({ chroma: undefined, subsampled: false });
  });

  test('reports no artefacts for another type and for a JPEG cut at any byte', async () => {
    expect(readJpegTables(Buffer.from('no picture at all'))).toBeUndefined();
    const file = await jpeg(80);
    const whole = readJpegTables(file)!.luma;
    for (let length = 0; length < 700; length += 1) {
      const tables = readJpegTables(file.subarray(0, length));
      if (tables) expect(Buffer.from(tables.luma).equals(Buffer.from(whole))).toBe(true);
    }
  });
});
