import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readJpegTables } from '../../../src/engine/image/codecs/jpeg.ts';
import { openPdfDocument } from '../../../src/engine/pdf/document/pdf-document.ts';
import { imageData } from '../../../src/engine/pdf/images/image-decoder.ts';
import { readImageFacts } from '../../../src/engine/pdf/images/image-facts.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, onePage } from './build-pdf.ts';
import { dictOf } from './doubled.ts';
import { qpdfComplaint } from './judges.ts';
import { imageOnGround, xObject } from './made-pictures.ts';
import { flateImage, jpegImage, logo, photograph, type Samples } from './pictures.ts';
import { DOUBLED, enhanceBytes } from './support.ts';

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
  it.each([30, 60, 97])('encodes an enlarged JPEG with quality %d', async (pdfQuality) => {
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

describe('maxGrowth', () => {
  const large = photograph(500, 400);
  const small = photograph(120, 90, 3, 2);

  it.each([
    ['appended', false],
    ['rewritten', true],
  ])('leaves the largest addition unchanged and free of charge if the result is %s', async (name, compact) => {
    const source = pageOf(large, small);
    const all = await enhanceBytes(source, scratch(`all-${name}`), DOUBLED, { compact, maxGrowth: 1000 });
    expect(all).toMatchObject({ enhanced: 2, skipped: [], work: { resizeOnly: 2 } });
    const maxGrowth = compact ? 1.4 : 1.6;
    expect(bytesOf(all.outputPath)).toBeGreaterThan(maxGrowth * source.length);
    const some = await enhanceBytes(source, scratch(`some-${name}`), DOUBLED, { compact, maxGrowth });
    expect(some).toMatchObject({
      enhanced: 1,
      skipped: [{ reason: 'max-growth', count: 1 }],
      work: { resizeOnly: 1 },
      notes: [expect.stringMatching(/^1 image stays as it is: the PDF would grow beyond [\d,]+ bytes\. Ask for/)],
    });
    expect(bytesOf(some.outputPath)).toBeLessThanOrEqual(maxGrowth * source.length);
    expect(qpdfComplaint(some.outputPath)).toBe('');
  });

  it('of 1 leaves a file unchanged if every image would add bytes', async () => {
    const source = pageOf(large);
    const { outputPath, enhanced } = await enhanceBytes(source, scratch('none'), DOUBLED, { maxGrowth: 1 });
    expect([enhanced, readFileSync(outputPath).equals(source)]).toEqual([0, true]);
  });

  it('is 6 by default, and a small file may grow by a megabyte', async () => {
    const coarse = async (side: number): Promise<Buffer> =>
      buildPdf(imageOnGround(xObject(await jpegImage(photograph(side, side, 1), 20)), side, side, 1));
    const fine = { ...DOUBLED, targetResolution: 288, upscalingThreshold: 1, pdfQuality: 100 };
    const growthOf = (file: { inputPath: string; outputPath: string }): number =>
      bytesOf(file.outputPath) / bytesOf(file.inputPath);

    const tiny = await enhanceBytes(await coarse(100), scratch('tiny'), fine);
    expect([tiny.enhanced, growthOf(tiny) > 6]).toEqual([1, true]);
    const free = await enhanceBytes(await coarse(1200), scratch('free'), fine, { maxGrowth: 1000 });
    expect([free.enhanced, growthOf(free) > 6]).toEqual([1, true]);
    const bounded = await enhanceBytes(await coarse(1200), scratch('bounded'), fine);
    expect(bounded).toMatchObject({ enhanced: 0, skipped: [{ reason: 'max-growth', count: 1 }] });
  });
});
