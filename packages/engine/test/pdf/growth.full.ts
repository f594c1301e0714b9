import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { PdfParameters } from '@burnish/contract/engine';
import { readJpegTables } from '../../src/image/codecs/jpeg.ts';
import { openPdfDocument } from '@burnish/pdf';
import { estimatePdf } from '../../src/pdf/enhance/enhance.ts';
import { imageData } from '../../src/pdf/images/image-decoder.ts';
import { readImageFacts } from '../../src/pdf/images/image-facts.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, onePage } from '../../../pdf/test/build-pdf.ts';
import { dictOf } from './doubled.ts';
import { qpdfComplaint } from './judges.ts';
import { imageOnGround, xObject } from './made-pictures.ts';
import { bars, flateImage, jpegImage, logo, photograph, type Samples } from './pictures.ts';
import { analyzeBytes, DOUBLED, enhanceBytes, parametersOf } from './support.ts';

const scratch = await scratchFolder();
const bytesOf = (path: string): number => statSync(path).size;

/** The data of an image in a file, as it is coded. */
function codedData(path: string): Buffer {
  const pdf = openPdfDocument(path);
  try {
    return Buffer.from(imageData(pdf, readImageFacts(pdf, 10)!));
  } finally {
    pdf.close();
  }
}

/** A page with images of several sizes at 72 DPI, side by side: objects 10, 11, … */
function pageOf(...images: Samples[]): Buffer {
  const draws = images.map(({ width, height }, i) => `q ${width} 0 0 ${height} ${i * 600} 0 cm /Im${i} Do Q`);
  const names = images.map((_, i) => `/Im${i} ${10 + i} 0 R`).join('');
  const objects = images.map((each, i) => [10 + i, xObject(flateImage(each))] as const);
  return buildPdf(onePage(draws.join(' '), `/XObject<<${names}>>`, Object.fromEntries(objects)));
}

describe('pdfQuality', () => {
  it.each([30, 97])('encodes an enlarged JPEG with quality %d', async (pdfQuality) => {
    const source = buildPdf(imageOnGround(xObject(await jpegImage(photograph(300, 225, 1), 85)), 300, 225, 1));
    const { outputPath } = await enhanceBytes(source, scratch(`jpeg-${pdfQuality}`), DOUBLED, { pdfQuality });
    expect(readJpegTables(codedData(outputPath))?.quality).toBe(pdfQuality);
  });

  it('encodes an enlarged lossless photograph, and keeps drawings lossless', async () => {
    const photo = await enhanceBytes(pageOf(photograph(300, 225)), scratch('photo'), DOUBLED, { pdfQuality: 50 });
    expect(readJpegTables(codedData(photo.outputPath))?.quality).toBe(50);
    const drawing = await enhanceBytes(pageOf(logo(300, 225)), scratch('logo'), DOUBLED, { pdfQuality: 50 });
    expect(dictOf(drawing.outputPath).filter).toBe('FlateDecode');
  });
});

const large = photograph(300, 240);
const TEN = { first: [10], count: 1 };

describe('maxGrowth', () => {
  const small = photograph(120, 90, 3, 2);

  it.each([
    ['appended', false],
    ['rewritten', true],
  ])('enlarges images less until the file fits, if the result is %s', async (name, compact) => {
    const source = pageOf(large, small);
    const all = await enhanceBytes(source, scratch(`all-${name}`), DOUBLED, { compact, maxGrowth: 1000 });
    expect(all).toMatchObject({ enhanced: 2, skipped: [], work: { resizeOnly: 2 } });
    const maxGrowth = (compact ? 0.9 : 0.95) * (bytesOf(all.outputPath) / source.length);
    const some = await enhanceBytes(source, scratch(`some-${name}`), DOUBLED, { compact, maxGrowth });
    expect(some).toMatchObject({ enhanced: 2, skipped: [], work: { resizeOnly: 2 } });
    const [note, ...others] = some.notes;
    expect(others).toEqual([]);
    expect(note).toMatchObject({ code: 'ENLARGED_LESS', mostBytes: Math.floor(maxGrowth * source.length) });
    expect(bytesOf(some.outputPath)).toBeLessThanOrEqual(maxGrowth * source.length);
    const width = dictOf(some.outputPath).dict.get('Width');
    expect(width).toBeLessThan(600);
    expect(width).toBeGreaterThan(1.2 * 300);
    expect(qpdfComplaint(some.outputPath)).toBe('');
  });

  it('lowers the quality of a JPEG to 80 before its scale', async () => {
    const source = buildPdf(imageOnGround(xObject(await jpegImage(bars(400, 300), 95)), 400, 300, 1));
    const all = await enhanceBytes(source, scratch('fine'), DOUBLED, { maxGrowth: 1000 });
    const maxGrowth = 0.96 * (bytesOf(all.outputPath) / source.length);
    expect(readJpegTables(codedData(all.outputPath))!.quality).toBeGreaterThan(80);
    const some = await enhanceBytes(source, scratch('coarser'), DOUBLED, { maxGrowth });
    expect(readJpegTables(codedData(some.outputPath))?.quality).toBe(80);
    expect(dictOf(some.outputPath).dict.get('Width')).toBe(800);
    expect(bytesOf(some.outputPath)).toBeLessThanOrEqual(maxGrowth * source.length);
    expect([all.notes, some.notes]).toEqual([
      [],
      [{ code: 'QUALITY_REDUCED', images: TEN, mostBytes: expect.any(Number), quality: 80 }],
    ]);
  });

  it('names an image of strips whose enlargement is smaller', async () => {
    const whole = photograph(400, 300);
    const top = { ...whole, height: 150, data: whole.data.subarray(0, whole.data.length / 2) };
    const bottom = { ...whole, height: 150, data: whole.data.subarray(whole.data.length / 2) };
    const draws = 'q 400 0 0 150 0 150 cm /A Do Q q 400 0 0 150 0 0 cm /B Do Q';
    const source = buildPdf(
      onePage(draws, '/XObject<</A 10 0 R/B 11 0 R>>', {
        10: xObject(flateImage(top)),
        11: xObject(flateImage(bottom)),
      }),
    );
    const all = await enhanceBytes(source, scratch('strips'), DOUBLED, { maxGrowth: 1000, pdfQuality: 80 });
    const maxGrowth = 1 + 0.8 * (bytesOf(all.outputPath) / source.length - 1);
    const some = await enhanceBytes(source, scratch('small-strips'), DOUBLED, { maxGrowth, pdfQuality: 80 });
    expect(some).toMatchObject({ work: { resizeOnly: 1 }, notes: [{ code: 'ENLARGED_LESS', images: TEN }] });
  });

  it('leaves an image unchanged and free of charge if it would hardly be enlarged', async () => {
    const source = pageOf(large);
    const none = await enhanceBytes(source, scratch('hardly'), DOUBLED, { maxGrowth: 1.1 });
    expect(none).toMatchObject({
      enhanced: 0,
      skipped: [{ reason: 'max-growth', count: 1 }],
      work: { resizeOnly: 0 },
      notes: [{ code: 'KEPT_FOR_SIZE', images: TEN }],
    });
    const { inputPath } = none;
    const free = await estimatePdf({ inputPath, parameters: { ...DOUBLED, maxGrowth: 1000 } });
    const bounded = await estimatePdf({ inputPath, parameters: { ...DOUBLED, maxGrowth: 1.1 } });
    expect([free.bytes > 1.1 * source.length, bounded.bytes <= 1.1 * source.length]).toEqual([true, true]);
  });

  it('gives an estimate the step that it will probably take for each picture', async () => {
    const { inputPath } = await enhanceBytes(pageOf(large, small), scratch('steps'), DOUBLED, { maxGrowth: 1 });
    const pictures = async (maxGrowth: number): Promise<unknown> =>
      (await estimatePdf({ inputPath, parameters: { ...DOUBLED, maxGrowth } })).pictures;
    const { bytes } = await estimatePdf({ inputPath, parameters: { ...DOUBLED, maxGrowth: 1000 } });
    const full = bytes / bytesOf(inputPath);
    expect(await pictures(1000)).toEqual({ full: 2, reduced: 0, unchanged: 0 });
    expect(await pictures(1 + 0.8 * (full - 1))).toEqual({ full: 0, reduced: 2, unchanged: 0 });
    expect(await pictures(1.02)).toEqual({ full: 0, reduced: 0, unchanged: 2 });
  });

  it('of 1 leaves a file unchanged if every image would add bytes', async () => {
    const source = pageOf(large);
    const { outputPath, enhanced } = await enhanceBytes(source, scratch('none'), DOUBLED, { maxGrowth: 1 });
    expect([enhanced, readFileSync(outputPath).equals(source)]).toEqual([0, true]);
  });

  describe('by default', () => {
    const fine = { ...DOUBLED, targetResolution: 288, upscalingThreshold: 1 };
    const coded = async (side: number, quality: number): Promise<Buffer> =>
      buildPdf(imageOnGround(xObject(await jpegImage(photograph(side, side, 1), quality)), side, side, 1));

    it('allows 200 kB more in every file', async () => {
      const given = { ...fine, pdfQuality: 100 };
      const source = await coded(60, 20);
      const free = await enhanceBytes(source, scratch('free'), given, { maxGrowth: 1000 });
      const usual = await enhanceBytes(source, scratch('usual'), given);
      expect([usual.enhanced, bytesOf(usual.outputPath)]).toEqual([1, bytesOf(free.outputPath)]);
      expect(bytesOf(usual.outputPath)).toBeGreaterThan(6 * source.length);
    });

    it.each([60_000, 110_000])('is 6 for a file of %d bytes', async (fileBytes) => {
      const most = 6 * fileBytes;
      const { facts } = await analyzeBytes(await coded(1500, 90), scratch('fine'));
      const { bytes, range } = await estimatePdf({ parameters: fine, facts: { ...facts, fileBytes } });
      expect(bytes).toBeLessThanOrEqual(most);
      expect(bytes).toBeGreaterThan(0.95 * most);
      expect(range.most).toBeLessThanOrEqual(most);
    });
  });
});

describe('the range of an estimate', () => {
  it.each<[string, () => Buffer, PdfParameters]>([
    ['a lossless photograph', () => pageOf(large), DOUBLED],
    ['a drawing', () => pageOf(logo(300, 225)), DOUBLED],
    ['a photograph whose tone needs nothing', () => pageOf(large), parametersOf({ targetResolution: 72 })],
    ['a PDF without work', () => pageOf(logo(300, 225)), parametersOf({ targetResolution: 72 })],
  ])('has the expected and the real size of %s', async (name, source, parameters) => {
    const { inputPath, outputPath } = await enhanceBytes(source(), scratch(name), parameters);
    const { bytes, range } = await estimatePdf({ inputPath, parameters });
    for (const size of [bytes, bytesOf(outputPath)]) {
      expect(size).toBeGreaterThanOrEqual(range.least);
      expect(size).toBeLessThanOrEqual(range.most);
    }
  });
});
