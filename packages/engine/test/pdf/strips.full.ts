import { writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, type Objects } from '../../../pdf/test/build-pdf.ts';
import { qpdfComplaint, rendered } from './judges.ts';
import { CORNER, cutPicture, disc, type Cut } from './made-pictures.ts';
import { photograph } from './pictures.ts';
import { DOUBLED, analyzeBytes, enhanceBytes, enhancePdf, parametersOf, samplesOf } from './support.ts';

const scratch = await scratchFolder();
const [WIDTH, HEIGHT] = [240, 180];

/** Dull, and darker from strip to strip: each for itself would get a curve of its own. */
function dull() {
  const samples = photograph(WIDTH, HEIGHT);
  const data = Buffer.from(samples.data);
  for (let i = 0; i < data.length; i += 1) {
    const y = Math.floor(i / 3 / WIDTH) / HEIGHT;
    data[i] = 40 + 60 * (1 - y) + data[i]! / 3;
  }
  return { ...samples, data };
}

/** With so much grain that no JPEG keeps within the bound: it stays without loss. */
function grainy() {
  const samples = dull();
  return {
    ...samples,
    data: Buffer.from(samples.data.map((value, i) => value + ((Math.imul(i, 2654435761) >>> 8) % 160))),
  };
}

const STRIPS: Cut = { columns: [WIDTH], rows: [36, 36, 36, 36, 36] };
const NARROW: Cut = { columns: [WIDTH], rows: Array.from({ length: 22 }, () => 8).concat(4) };
const TILES: Cut = { columns: [80, 80, 80], rows: [60, 60, 60] };
const UNEVEN: Cut = { columns: [100, 140], rows: [64, 64, 52] };

describe('strips and tiles as one picture', () => {
  it.each<[string, Cut]>([
    ['5 strips', STRIPS],
    ['23 strips that are too narrow to count by themselves', NARROW],
    ['9 tiles', TILES],
    ['uneven tiles', UNEVEN],
    ['tiles on a page that turns them', { ...TILES, turn: 30 }],
    ['strips upside down', { ...STRIPS, turn: 180 }],
    ['strips whose numbers are rounded', { ...STRIPS, turn: 10, decimals: 2 }],
    ['tiles without one of them', { ...TILES, without: [4] }],
    ['strips of JPEG', { ...STRIPS, jpeg: true }],
    ['strips with masks', { ...STRIPS, mask: disc(WIDTH, HEIGHT) }],
  ])('%s have one price', async (_, cut) => {
    const bytes = buildPdf(await cutPicture(dull(), cut));
    const { analysis, facts } = await analyzeBytes(bytes, scratch('price'));
    expect(analysis).toMatchObject({ totalCredits: 4, statistics: { colorEligible: 1, resizeEligible: 1 } });
    const tiles = cut.columns.length * cut.rows.length - (cut.without?.length ?? 0);
    expect(analysis.statistics.images).toBe(tiles);
    expect(facts.eligible).toMatchObject([{ width: WIDTH, height: HEIGHT, color: true }]);
    expect(facts.eligible[0]!.resolution).toBeCloseTo(72, 0);
  });

  it.each<[string, Cut]>([
    ['tiles', TILES],
    ['strips of JPEG', { ...STRIPS, jpeg: true }],
  ])('%s get the tone of the whole picture', async (name, cut) => {
    const parameters = parametersOf({ targetResolution: 72 });
    const whole = buildPdf(await cutPicture(dull(), { ...cut, columns: [WIDTH], rows: [HEIGHT] }));
    const [one, many] = [
      await enhanceBytes(whole, scratch('whole'), parameters),
      await enhanceBytes(buildPdf(await cutPicture(dull(), cut)), scratch(`tone-${name}`), parameters),
    ];
    expect(many.work).toEqual({ colorOnly: 1, resizeOnly: 0, both: 0 });
    expect(many.enhanced).toBe(cut.columns.length * cut.rows.length);
    if (!cut.jpeg)
      expect(await differenceOfSamples(one.outputPath, many.outputPath, cut, 1)).toEqual({ mean: 0, most: 0 });
    // The samples are the same; the renderer smooths across the edges of tiles, the more the higher the contrast.
    expect(meanDifference(one.outputPath, many.outputPath)).toBeLessThan(cut.jpeg ? 2 : 0.9);
  });

  it.each<[string, Cut]>([
    ['narrow strips', NARROW],
    ['tiles that are turned', { ...TILES, turn: 30 }],
    ['strips with masks', { ...STRIPS, mask: disc(WIDTH, HEIGHT) }],
  ])('%s are enlarged as the whole picture, without a seam', async (name, cut) => {
    const whole = buildPdf(await cutPicture(dull(), { ...cut, columns: [WIDTH], rows: [HEIGHT] }));
    const [one, many] = [
      await enhanceBytes(whole, scratch('whole'), DOUBLED),
      await enhanceBytes(buildPdf(await cutPicture(dull(), cut)), scratch(`seam-${name}`), DOUBLED),
    ];
    expect(many.work).toEqual({ colorOnly: 0, resizeOnly: 1, both: 0 });
    // Each part is coded as a JPEG within the bound.
    const { mean, most } = await differenceOfSamples(one.outputPath, many.outputPath, cut, 2);
    expect(mean).toBeLessThan(0.7);
    expect(most).toBeLessThanOrEqual(16);
    // Renderers bring each image to the grid of the page by itself.
    expect(meanDifference(one.outputPath, many.outputPath)).toBeLessThan(cut.turn === 30 ? 1 : 0.7);
    expect(qpdfComplaint(many.outputPath)).toBe('');
  });

  it.each<[string, Cut]>([
    ['narrow strips', NARROW],
    ['tiles that are turned upside down', { ...TILES, turn: 180 }],
  ])('%s with too much grain for a JPEG are enlarged to the exact samples of the whole picture', async (name, cut) => {
    const whole = buildPdf(await cutPicture(grainy(), { ...cut, columns: [WIDTH], rows: [HEIGHT] }));
    const [one, many] = [
      await enhanceBytes(whole, scratch('grain'), DOUBLED),
      await enhanceBytes(buildPdf(await cutPicture(grainy(), cut)), scratch(`grain-${name}`), DOUBLED),
    ];
    expect(await differenceOfSamples(one.outputPath, many.outputPath, cut, 2)).toEqual({ mean: 0, most: 0 });
  });

  it('keep their edges together if the factor does not divide their sides', async () => {
    const bytes = buildPdf(await cutPicture(dull(), { columns: [WIDTH], rows: [37, 50, 41, 52] }));
    const { outputPath } = await enhanceBytes(bytes, scratch('odd'), { ...DOUBLED, targetResolution: 100 });
    const heights = await Promise.all([10, 11, 12, 13].map(async (n) => (await samplesOf(outputPath, n)).height));
    expect(heights.reduce((a, b) => a + b, 0)).toBe(250);
  });

  it('are enhanced in spans as at once', async () => {
    const bytes = buildPdf(await cutPicture(dull(), TILES));
    const first = await enhanceBytes(bytes, scratch('go'), DOUBLED);
    const again = await enhancePdf({
      inputPath: first.inputPath,
      outputPath: scratch('again.pdf'),
      parameters: DOUBLED,
    });
    expect(again.work).toEqual(first.work);
  });
});

describe('images that are not parts of one picture stay separate', () => {
  const twice = async (change: (objects: Objects) => void): Promise<number> => {
    const objects = await cutPicture(dull(), { columns: [WIDTH], rows: [90, 90] });
    change(objects);
    return (await analyzeBytes(buildPdf(objects), scratch('apart'))).facts.eligible.length;
  };
  const content = (objects: Objects, from: RegExp | string, to: string): void => {
    const stream = objects[4] as { dict: string; data: string };
    objects[4] = { dict: '', data: stream.data.replace(from, to) };
    expect((objects[4] as { data: string }).data).not.toBe(stream.data);
  };

  it('unlike halves that touch', async () => {
    expect(await twice(() => undefined)).toBe(1);
  });
  it('with a gap of some pixels', async () => {
    expect(await twice((objects) => content(objects, '0 90 100 390', '0 90 100 393'))).toBe(2);
  });
  it('with another resolution', async () => {
    expect(await twice((objects) => content(objects, '240 0 0 90 100 390', '250 0 0 90 100 390'))).toBe(2);
  });
  it('with another colour space', async () => {
    expect(
      await twice((objects) => {
        const image = objects[11] as { dict: string; data: Buffer };
        const space = '[/CalRGB<</WhitePoint[0.95 1 1.09]>>]';
        objects[11] = { ...image, dict: image.dict.replace('/ColorSpace/DeviceRGB', `/ColorSpace${space}`) };
      }),
    ).toBe(2);
  });
  it('if one of them is drawn again elsewhere', async () => {
    expect(await twice((objects) => content(objects, /$/, ' q 240 0 0 90 0 0 cm /T1 Do Q'))).toBe(2);
  });
  it('if they overlap at one position', async () => {
    expect(await twice((objects) => content(objects, '240 0 0 90 100 390', '240 0 0 90 100 300'))).toBe(2);
  });
});

it('strips at the same positions on two pages are one picture', async () => {
  const objects = await cutPicture(dull(), STRIPS);
  objects[2] = '<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>';
  objects[5] = objects[3]!;
  writeFileSync(scratch('pages.pdf'), buildPdf(objects));
  const { facts } = await analyzeBytes(buildPdf(objects), scratch('pages'));
  expect(facts.eligible).toHaveLength(1);
});

/** The samples of all parts in the place where they are drawn, after they were enlarged by a factor. */
async function assembled(path: string, { columns, rows }: Cut, factor: number): Promise<Buffer> {
  const whole = Buffer.alloc(factor ** 2 * WIDTH * HEIGHT * 3);
  for (let row = 0, top = 0, tile = 0; row < rows.length; top += factor * rows[row]!, row += 1) {
    for (let column = 0, left = 0; column < columns.length; left += factor * columns[column]!, column += 1, tile += 1) {
      const { data, width, height } = await samplesOf(path, 10 + tile);
      for (let y = 0; y < height; y += 1)
        whole.set(data.subarray(y * width * 3, (y + 1) * width * 3), ((top + y) * factor * WIDTH + left) * 3);
    }
  }
  return whole;
}

/** Between a picture and its parts, of 255. */
async function differenceOfSamples(
  whole: string,
  parts: string,
  cut: Cut,
  factor: number,
): Promise<{ mean: number; most: number }> {
  const [one, many] = [(await samplesOf(whole)).data, await assembled(parts, cut, factor)];
  let [sum, most] = [0, 0];
  for (let i = 0; i < many.length; i += 1) {
    const difference = Math.abs(one[i]! - many[i]!);
    sum += difference;
    most = Math.max(most, difference);
  }
  return { mean: sum / many.length, most };
}

/** Of all pixels of the picture on the page, at 144 pixels an inch; nothing where poppler is not installed. */
function meanDifference(one: string, other: string): number {
  const [a, b] = [rendered(one, 144), rendered(other, 144)];
  if (!a || !b) return 0;
  let [sum, count] = [0, 0];
  for (let y = 0; y < HEIGHT; y += 0.5) {
    for (let x = 0; x < WIDTH; x += 0.5) {
      const place = [CORNER.x + x + 0.25, 792 - CORNER.y - y - 0.25] as const;
      const [p, q] = [a.at(...place), b.at(...place)];
      for (let c = 0; c < 3; c += 1) sum += Math.abs(p[c]! - q[c]!);
      count += 3;
    }
  }
  return sum / count;
}
