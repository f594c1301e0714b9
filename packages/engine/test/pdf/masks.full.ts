import { describe, expect, it } from '@jest/globals';
import { readImageFacts } from '../../src/pdf/images/image-facts.ts';
import { decodeMask, readMaskFacts } from '../../src/pdf/images/mask.ts';
import { isStream, openPdfDocument } from '@burnish/pdf';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, type Objects } from '../../../pdf/test/build-pdf.ts';
import { qpdfComplaint, rendered } from './judges.ts';
import { CORNER, cutOut, disc, imageOnGround, softMask, stencilDisc, xObject } from './made-pictures.ts';
import { flateImage, jpegImage, photograph } from './pictures.ts';
import { DOUBLED, analyzeBytes, enhanceBytes, parametersOf, samplesOf } from './support.ts';

const scratch = await scratchFolder();
const [WIDTH, HEIGHT] = [120, 90];
const flat = (value: number[]) => ({
  data: Buffer.from(Array.from({ length: WIDTH * HEIGHT }, () => value).flat()),
  width: WIDTH,
  height: HEIGHT,
  channels: 3,
});

/** The mask of object 10 after an enhancement, as opacity. */
async function maskIn(path: string) {
  const pdf = openPdfDocument(path);
  try {
    const mask = readMaskFacts(pdf, readImageFacts(pdf, 10)!)!;
    const { data, width, height } = await decodeMask(pdf, mask);
    return { data, width, height, kind: mask.kind, matte: mask.matte };
  } finally {
    pdf.close();
  }
}

/** The darkest and brightest sample of a row of pixels through the middle of the picture. */
function across(path: string, columns: number, rows: number, resolution = 144): number[] {
  const page = rendered(path, resolution);
  if (!page) return [];
  return Array.from({ length: columns * 2 }, (_, i) => {
    const [r, g, b] = page.at(CORNER.x + i / 2 + 0.25, 792 - CORNER.y - rows / 2);
    return (r + g + b) / 3;
  });
}

describe('an image and its soft mask are one picture', () => {
  it('a logo of one colour gets an edge of the new resolution', async () => {
    const bytes = buildPdf(
      imageOnGround(xObject(flateImage(flat([200, 16, 46])), '/SMask 11 0 R'), WIDTH, HEIGHT, 1, {
        11: softMask(disc(WIDTH, HEIGHT)),
      }),
    );
    const { outputPath, inputPath, work } = await enhanceBytes(bytes, scratch('logo'), DOUBLED);
    expect(work).toEqual({ colorOnly: 0, resizeOnly: 0, both: 0, masksOnly: 1 });
    expect(await maskIn(outputPath)).toMatchObject({ width: 2 * WIDTH, height: 2 * HEIGHT });
    // The colour needs no more pixels than it has, and stays byte for byte.
    expect(await samplesOf(outputPath)).toEqual(await samplesOf(inputPath));
    expect(qpdfComplaint(outputPath)).toBe('');
    const [before, after] = [across(inputPath, WIDTH, HEIGHT), across(outputPath, WIDTH, HEIGHT)];
    const between = (row: number[]) => row.filter((value) => value > 100 && value < 240).length;
    expect(between(after)).toBeLessThanOrEqual(between(before));
    expect(after).not.toEqual(before.length === 0 ? null : before);
  });

  it('a uniform mask stays unchanged without charge, and its image is enlarged alone', async () => {
    const bytes = buildPdf(
      imageOnGround(xObject(flateImage(photograph(WIDTH, HEIGHT)), '/SMask 11 0 R'), WIDTH, HEIGHT, 1, {
        11: softMask({ ...disc(WIDTH, HEIGHT), data: Buffer.alloc(WIDTH * HEIGHT, 255) }),
      }),
    );
    const { outputPath } = await enhanceBytes(bytes, scratch('opaque'), DOUBLED);
    expect(await maskIn(outputPath)).toMatchObject({ width: WIDTH, height: HEIGHT });
    expect(await samplesOf(outputPath)).toMatchObject({ width: 2 * WIDTH, height: 2 * HEIGHT });
  });

  it('a uniform image with a uniform mask stays unchanged without charge', async () => {
    const bytes = buildPdf(
      imageOnGround(xObject(flateImage(flat([9, 9, 9])), '/SMask 11 0 R'), WIDTH, HEIGHT, 1, {
        11: softMask({ ...disc(WIDTH, HEIGHT), data: Buffer.alloc(WIDTH * HEIGHT, 128) }),
      }),
    );
    const { analysis, facts } = await analyzeBytes(bytes, scratch('nothing'));
    expect(analysis.totalCredits).toBe(0);
    expect(facts.leftAlone).toEqual([{ reason: 'single-color', count: 1 }]);
  });

  it.each([
    ['black', 0],
    ['white', 255],
  ])('a photograph that was cut out on %s gets no fringe of that colour', async (_, hidden) => {
    const mask = disc(WIDTH, HEIGHT);
    const even = flat([120, 130, 125]);
    even.data[0] = 119;
    const bytes = buildPdf(
      imageOnGround(xObject(flateImage(cutOut(even, mask, hidden)), '/SMask 11 0 R'), WIDTH, HEIGHT, 0.5, {
        11: softMask(mask),
      }),
    );
    const { outputPath } = await enhanceBytes(bytes, scratch(`cut-${hidden}`), DOUBLED);
    const [image, opacity] = [await samplesOf(outputPath), await maskIn(outputPath)];
    const seen = Array.from(opacity.data, (value, i) => (value > 0 ? Math.abs(image.data[i * 3]! - 120) : 0));
    expect(seen.filter((difference) => difference > 2)).toEqual([]);
    // On a ground of nearly the same grey, no ring of another colour can be seen.
    expect(across(outputPath, WIDTH, HEIGHT).filter((value) => Math.abs(value - 126) > 4)).toEqual([]);
  });

  it.each([
    ['black', 0],
    ['white', 255],
  ])('a photograph that was cut out on %s is judged by its visible part', async (_, hidden) => {
    const side = 300;
    const small = { ...disc(side, side) };
    const data = Buffer.from(small.data);
    for (let y = 0; y < side; y += 1)
      for (let x = 0; x < side; x += 1) data[y * side + x] = x > 100 && x < 200 && y > 100 && y < 200 ? 255 : 0;
    const mask = { ...small, data };
    const objects = (masked: boolean): Objects =>
      imageOnGround(
        xObject(flateImage(cutOut(photograph(side, side, 3, 20), mask, hidden)), masked ? '/SMask 11 0 R' : ''),
        72,
        72,
        1,
        { 11: softMask(mask) },
      );
    expect((await analyzeBytes(buildPdf(objects(true)), scratch('seen'))).analysis.statistics.colorEligible).toBe(1);
  });

  it('hidden pixels do not count as a photograph', async () => {
    const side = 300;
    const data = Buffer.alloc(side * side);
    for (let y = 0; y < 40; y += 1) data.fill(255, y * side, y * side + 40);
    const mask = { data, width: side, height: side, channels: 1 };
    const bytes = buildPdf(
      imageOnGround(xObject(flateImage(photograph(side, side)), '/SMask 11 0 R'), 72, 72, 1, { 11: softMask(mask) }),
    );
    expect((await analyzeBytes(bytes, scratch('unseen'))).analysis.statistics.colorEligible).toBe(0);
  });

  it('two images that share a mask get one each', async () => {
    const objects = imageOnGround(xObject(flateImage(photograph(WIDTH, HEIGHT)), '/SMask 11 0 R'), WIDTH, HEIGHT, 1, {
      11: softMask(disc(WIDTH, HEIGHT)),
      12: xObject(flateImage(photograph(WIDTH, HEIGHT, 3, 2)), '/SMask 11 0 R'),
    });
    objects[4] = { dict: '', data: `q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /Im0 Do Q q 300 0 0 225 200 400 cm /Im1 Do Q` };
    objects[3] = (objects[3] as string).replace('/Im0 10 0 R', '/Im0 10 0 R/Im1 12 0 R');
    const { outputPath } = await enhanceBytes(buildPdf(objects), scratch('shared'), DOUBLED, { maxGrowth: 1000 });
    const pdf = openPdfDocument(outputPath);
    const masks = [10, 12].map((number) => {
      const image = pdf.get(number);
      if (!isStream(image)) throw new Error('no image');
      const mask = pdf.resolve(image.dict.get('SMask'));
      return isStream(mask) ? [mask.number, mask.dict.get('Width')] : [];
    });
    pdf.close();
    expect(masks.map(([, width]) => width)).toEqual([2 * WIDTH, 4 * WIDTH]);
    expect(new Set(masks.map(([number]) => number)).size).toBe(2);
  });

  it.each(['table', 'stream', 'objects'] as const)(
    'new masks are written with cross-references as %s',
    async (xref) => {
      const image = xObject(await jpegImage(photograph(WIDTH, HEIGHT)), '/SMask 11 0 R');
      const objects = imageOnGround(image, WIDTH, HEIGHT, 1, { 11: softMask(disc(WIDTH, HEIGHT)) });
      for (const compact of [false, true]) {
        const { outputPath } = await enhanceBytes(buildPdf(objects, { xref }), scratch(`${xref}-${compact}`), DOUBLED, {
          compact,
        });
        expect(await maskIn(outputPath)).toMatchObject({ width: 2 * WIDTH, height: 2 * HEIGHT });
        expect(qpdfComplaint(outputPath)).toBe('');
        const pdf = openPdfDocument(outputPath);
        // A compact file contains no unused mask.
        expect(pdf.get(11) === null).toBe(compact);
        pdf.close();
      }
    },
  );
});

describe('masks of other kinds in a PDF', () => {
  it('become soft masks if they are stencils of an enlarged image', async () => {
    const image = xObject(flateImage(photograph(WIDTH, HEIGHT)), '/Mask 11 0 R');
    const bytes = buildPdf(imageOnGround(image, WIDTH, HEIGHT, 1, { 11: stencilDisc(WIDTH, HEIGHT) }));
    const { inputPath, outputPath } = await enhanceBytes(bytes, scratch('stencil'), DOUBLED);
    const mask = await maskIn(outputPath);
    expect(mask).toMatchObject({ kind: 'soft', width: 2 * WIDTH, height: 2 * HEIGHT });
    expect(mask.data[HEIGHT * 2 * WIDTH + WIDTH]).toBe(255);
    expect(mask.data[0]).toBe(0);
    const [before, after] = [across(inputPath, WIDTH, HEIGHT), across(outputPath, WIDTH, HEIGHT)];
    const changed = before.filter((value, i) => Math.abs(value - after[i]!) > 60);
    expect(changed.length).toBeLessThanOrEqual(2);
  });

  it('hide the same pixels if they are stencils with an inverting Decode array', async () => {
    const image = xObject(flateImage(photograph(WIDTH, HEIGHT)), '/Mask 11 0 R');
    const more = { 11: stencilDisc(WIDTH, HEIGHT, '/Decode[1 0]') };
    const { outputPath } = await enhanceBytes(
      buildPdf(imageOnGround(image, WIDTH, HEIGHT, 1, more)),
      scratch('inverted'),
      DOUBLED,
    );
    const mask = await maskIn(outputPath);
    expect([mask.data[0], mask.data[HEIGHT * 2 * WIDTH + WIDTH]]).toEqual([255, 0]);
  });

  it('stay stencils in PDF/A', async () => {
    const image = xObject(flateImage(photograph(WIDTH, HEIGHT)), '/Mask 11 0 R');
    const objects = imageOnGround(image, WIDTH, HEIGHT, 1, {
      11: stencilDisc(WIDTH, HEIGHT),
      12: { dict: '/Type/Metadata/Subtype/XML', data: '<pdfaid:part>1</pdfaid:part>' },
    });
    objects[1] = '<</Type/Catalog/Pages 2 0 R/Metadata 12 0 R>>';
    const { outputPath } = await enhanceBytes(buildPdf(objects), scratch('pdfa'), DOUBLED);
    const mask = await maskIn(outputPath);
    expect(mask).toMatchObject({ kind: 'stencil', width: 2 * WIDTH, height: 2 * HEIGHT });
    expect([mask.data[0], mask.data[HEIGHT * 2 * WIDTH + WIDTH]]).toEqual([0, 255]);
  });

  it('keep the Matte of an image that was blended with black', async () => {
    const mask = disc(WIDTH, HEIGHT);
    const blended = photograph(WIDTH, HEIGHT);
    const data = blended.data.map((value, i) => (value * mask.data[Math.floor(i / 3)]!) / 255);
    const image = xObject(flateImage({ ...blended, data: Buffer.from(data) }), '/SMask 11 0 R');
    const bytes = buildPdf(imageOnGround(image, WIDTH, HEIGHT, 1, { 11: softMask(mask, '/Matte[0 0 0]') }));
    const { inputPath, outputPath, alike } = {
      ...(await enhanceBytes(bytes, scratch('matte'), DOUBLED)),
      alike: across,
    };
    expect((await maskIn(outputPath)).matte).toBeUndefined();
    const [before, after] = [alike(inputPath, WIDTH, HEIGHT), alike(outputPath, WIDTH, HEIGHT)];
    for (const [i, value] of before.entries()) expect(Math.abs(value - after[i]!)).toBeLessThanOrEqual(70);
    const mean = before.reduce((sum, value, i) => sum + Math.abs(value - after[i]!), 0) / Math.max(1, before.length);
    expect(mean).toBeLessThan(6);
  });

  it('are not changed by the tone curve of a preblended image', async () => {
    const [columns, rows] = [300, 225];
    const mask = disc(columns, rows);
    const photo = photograph(columns, rows);
    const blended = photo.data.map((value, i) => ((90 + value / 8) * mask.data[Math.floor(i / 3)]!) / 255);
    const image = xObject(flateImage({ ...photo, data: Buffer.from(blended) }), '/SMask 11 0 R');
    const bytes = buildPdf(imageOnGround(image, 72, 54, 1, { 11: softMask(mask, '/Matte[0 0 0]') }));
    const { inputPath, outputPath, work } = await enhanceBytes(bytes, scratch('tone-matte'), parametersOf());
    expect(work).toEqual({ colorOnly: 1, resizeOnly: 0, both: 0 });
    const after = await maskIn(outputPath);
    expect(after).toMatchObject({ width: columns, height: rows, kind: 'soft', matte: undefined });
    expect(Buffer.from(after.data).equals(mask.data)).toBe(true);
    const { data } = await samplesOf(outputPath);
    const seen = [...data].filter((_, i) => mask.data[Math.floor(i / 3)] === 255).sort((a, b) => a - b);
    // The dull samples span 32 of 255.
    expect(seen[Math.floor(seen.length * 0.95)]! - seen[Math.floor(seen.length * 0.05)]!).toBeGreaterThan(48);
    const [one, two] = [inputPath, outputPath].map((path) => rendered(path, 144));
    if (!one || !two) return;
    const spread = (page: typeof one) => {
      const row = Array.from({ length: 60 }, (_, i) => page.at(CORNER.x + 20 + i / 2, 792 - CORNER.y - 27)[0]);
      return Math.max(...row) - Math.min(...row);
    };
    expect(spread(two)).toBeGreaterThan(spread(one) * 1.3);
    expect(two.at(CORNER.x + 2, 792 - CORNER.y - 2)).toEqual([255, 255, 255]);
    expect(qpdfComplaint(outputPath)).toBe('');
  });

  it('are not changed by the tone curve of their image', async () => {
    const dull = photograph(300, 225, 3, 12);
    const data = Buffer.from(dull.data.map((value) => 90 + value / 8));
    const image = xObject(flateImage({ ...dull, data }), '/SMask 11 0 R');
    const bytes = buildPdf(imageOnGround(image, 72, 54, 1, { 11: softMask(disc(300, 225)) }));
    const { outputPath, work } = await enhanceBytes(bytes, scratch('tone'), parametersOf());
    expect(work).toEqual({ colorOnly: 1, resizeOnly: 0, both: 0 });
    const pdf = openPdfDocument(outputPath);
    const after = pdf.get(10);
    expect(isStream(after) && after.dict.get('SMask')).toMatchObject({ number: 11 });
    pdf.close();
  });
});
