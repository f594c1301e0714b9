import { describe, expect, it } from '@jest/globals';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, onePage } from '../../../pdf/test/build-pdf.ts';
import { xObject } from './made-pictures.ts';
import { flateImage, photograph } from './pictures.ts';
import { DOUBLED, analyzeBytes, enhanceBytes, samplesOf } from './support.ts';

const scratch = await scratchFolder();
const SIDE = 9;

type Sample = (r: number, g: number, b: number, channel: number) => number;

/** A Lab table of a camera: lightness rises with each channel, and hues bend. */
const smooth: Sample = (r, g, b, channel) =>
  [0.3 * r ** 0.5 + 0.6 * g ** 0.5 + 0.1 * b ** 0.5, 0.5 + 0.3 * (r - g), 0.5 + 0.3 * (g - b) + 0.1 * r * (1 - r)][
    channel
  ]!;
/** Each point has a colour of its own. */
const scrambled: Sample = (r, g, b, channel) => (Math.sin((r * 127 + g * 311 + b * 74 + channel) * 999) + 1) / 2;

const u16 = (...values: number[]): Buffer => {
  const data = Buffer.alloc(values.length * 2);
  values.forEach((value, i) => data.writeUInt16BE(Math.round(value), i * 2));
  return data;
};
const u32 = (...values: number[]): Buffer => {
  const data = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => data.writeUInt32BE(value, i * 4));
  return data;
};

function gridOf(sample: Sample): number[] {
  const values: number[] = [];
  const at = (i: number): number => i / (SIDE - 1);
  for (let r = 0; r < SIDE; r += 1)
    for (let g = 0; g < SIDE; g += 1)
      for (let b = 0; b < SIDE; b += 1) for (let c = 0; c < 3; c += 1) values.push(sample(at(r), at(g), at(b), c));
  return values;
}

const IDENTITY = u32(65_536, 0, 0, 0, 65_536, 0, 0, 0, 65_536);
/** Points of a curve from 0 to 1. */
const line = (points: number): number[] => Array.from({ length: points }, (_, i) => i / (points - 1));

/** The tag `A2B0` of each type (ICC.1 sections 10.10 to 10.12). */
const TABLES: Record<string, (sample: Sample) => Buffer> = {
  mft1: (sample) => {
    const curves = Buffer.from([0, 1, 2].flatMap(() => line(256).map((value) => value * 255)));
    const grid = Buffer.from(gridOf(sample).map((value) => value * 255));
    return Buffer.concat([Buffer.from('mft1\0\0\0\0\x03\x03\x09\0', 'latin1'), IDENTITY, curves, grid, curves]);
  },
  mft2: (sample) => {
    const curves = u16(...[0, 1, 2].flatMap(() => [0, 65_535]));
    const grid = u16(...gridOf(sample).map((value) => value * 65_535));
    const head = Buffer.from('mft2\0\0\0\0\x03\x03\x09\0', 'latin1');
    return Buffer.concat([head, IDENTITY, u16(2, 2), curves, grid, curves]);
  },
  'mAB ': (sample) => {
    const gamma = Buffer.concat([Buffer.from('curv\0\0\0\0', 'latin1'), u32(1), u16(256), u16(0)]);
    const curves = Buffer.concat([gamma, gamma, gamma]);
    const points = Buffer.alloc(20);
    points.fill(SIDE, 0, 3);
    points[16] = 2;
    const grid = u16(...gridOf(sample).map((value) => value * 65_535));
    const [a, clut] = [32, 32 + curves.length];
    const b = clut + points.length + grid.length + 2;
    const head = Buffer.from('mAB \0\0\0\0\x03\x03\0\0', 'latin1');
    return Buffer.concat([head, u32(b, 0, 0, clut, a), curves, points, grid, Buffer.alloc(2), curves]);
  },
};

function profile(tags: Record<string, Buffer>): Buffer {
  const entries = Object.entries(tags);
  let at = 132 + 12 * entries.length;
  const table = entries.map(([name, data]) => {
    const entry = Buffer.concat([Buffer.from(name, 'latin1'), u32(at, data.length)]);
    at += data.length;
    return entry;
  });
  const head = Buffer.alloc(128);
  head.write('scnrRGB Lab ', 12, 'latin1');
  return Buffer.concat([head, u32(entries.length), ...table, ...entries.map(([, data]) => data)]);
}

const picture = photograph(120, 90);

function page(icc: Buffer): Buffer {
  const image = xObject({
    ...flateImage(picture),
    dict: flateImage(picture).dict.replace('/DeviceRGB', '[/ICCBased 11 0 R]'),
  });
  return buildPdf(
    onePage('q 120 0 0 90 20 20 cm /Im0 Do Q', '/XObject<</Im0 10 0 R>>', {
      10: image,
      11: { dict: '/N 3', data: icc },
    }),
  );
}

const curve = (values: number[]): Buffer =>
  Buffer.concat([Buffer.from('curv\0\0\0\0', 'latin1'), u32(values.length), u16(...values.map((v) => v * 65_535))]);
const jumps = line(64).map((_, i) => ((i * 37) % 64) / 64);

describe('an image whose profile maps neighbouring values to unrelated colours', () => {
  it.each([
    ...Object.entries(TABLES).map(
      ([type, make]) => [`a table of type ${type}`, profile({ A2B0: make(scrambled) })] as const,
    ),
    ['curves', profile({ rTRC: curve(jumps), gTRC: curve(line(64)), bTRC: curve(line(64)) })] as const,
  ])('by %s stays unchanged with a reason, at no charge', async (_, icc) => {
    const { inputPath, outputPath, work, skipped } = await enhanceBytes(page(icc), scratch('scrambled'), DOUBLED);
    expect(work).toEqual({ colorOnly: 0, resizeOnly: 0, both: 0 });
    expect(skipped).toEqual([{ reason: 'color-table', count: 1 }]);
    expect(await samplesOf(outputPath)).toEqual(await samplesOf(inputPath));
    expect((await analyzeBytes(page(icc), scratch('analyzed'))).analysis.totalCredits).toBe(0);
  });

  it.each([
    ...Object.entries(TABLES).map(
      ([type, make]) => [`a table of type ${type}`, profile({ A2B0: make(smooth) })] as const,
    ),
    ['curves', profile({ rTRC: curve(line(64)), gTRC: curve(line(64)), bTRC: curve(line(64)) })] as const,
    ['a table that is cut off', profile({ A2B0: TABLES.mft2!(scrambled) }).subarray(0, 400)] as const,
  ])('is another than one with %s of smooth colours, which is enlarged', async (_, icc) => {
    const { work, skipped } = await enhanceBytes(page(icc), scratch('smooth'), DOUBLED);
    expect([work.resizeOnly, skipped]).toEqual([1, []]);
  });
});
