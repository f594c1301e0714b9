import sharp from 'sharp';
import { describe, expect, it, test } from '@jest/globals';
import { readJpegTables } from '../../src/image/codecs/jpeg.ts';
import { enhancePixels } from '../../src/image/enhance-pixels.ts';
import type { Picture } from '../../src/image/picture.ts';
import { NO_MODELS } from '../../src/neural/model-set.ts';
import { openPdfDocument } from '@burnish/pdf';
import { readImageFacts } from '../../src/pdf/images/image-facts.ts';
import { MAX_JPEG_ERROR } from '../../src/pdf/images/jpeg-coding.ts';
import { decodeMask, readMaskFacts } from '../../src/pdf/images/mask.ts';
import { EDGE_STEPS, coarsenEdges } from '../../src/pdf/images/coarse-edges.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf } from '../../../pdf/test/build-pdf.ts';
import { dictOf } from './doubled.ts';
import { qpdfComplaint, renderedAlike } from './judges.ts';
import { disc, imageOnGround, softMask, xObject } from './made-pictures.ts';
import { flateImage, logo, photograph, scan, type Samples } from './pictures.ts';
import { DOUBLED, enhanceBytes, parametersOf, samplesOf } from './support.ts';

const scratch = await scratchFolder();
const [WIDTH, HEIGHT] = [300, 225];
const pdfOf = (samples: Samples): Buffer => buildPdf(imageOnGround(xObject(flateImage(samples)), WIDTH, HEIGHT, 1));
const pictureOf = ({ data, width, height, channels }: Samples): Picture => ({
  data,
  width,
  height,
  channels,
  space: channels === 1 ? 'grey' : 'rgb',
  hasAlpha: false,
});

describe('a lossless image that is enlarged', () => {
  it('becomes a JPEG within the bound if it is a photograph', async () => {
    const source = photograph(WIDTH, HEIGHT, 1);
    const { inputPath, outputPath } = await enhanceBytes(pdfOf(source), scratch('photo'), DOUBLED);
    expect(dictOf(outputPath)).toMatchObject({ filter: 'DCTDecode', bits: 8 });
    const size = { width: 2 * WIDTH, height: 2 * HEIGHT };
    const { picture } = await enhancePixels(pictureOf(source), { ...size, mode: 'OFF', models: NO_MODELS });
    const after = await samplesOf(outputPath);
    let sum = 0;
    picture.data.forEach((value, i) => (sum += (value - after.data[i]!) ** 2));
    expect(Math.sqrt(sum / picture.data.length)).toBeLessThanOrEqual(MAX_JPEG_ERROR);
    expect(renderedAlike(inputPath, outputPath) ?? Infinity).toBeGreaterThan(36);
    expect(qpdfComplaint(outputPath)).toBe('');
  });

  it.each([
    ['a logo', logo(WIDTH, HEIGHT)],
    ['a drawing of text', scan(WIDTH, HEIGHT)],
  ])('stays lossless if it is %s, with edges within four of 255', async (name, source) => {
    const { outputPath } = await enhanceBytes(pdfOf(source), scratch(name.replace(/\W/g, '-')), DOUBLED, {
      maxGrowth: 1000,
    });
    expect(dictOf(outputPath).filter).toBe('FlateDecode');
    const size = { width: 2 * WIDTH, height: 2 * HEIGHT };
    const { picture } = await enhancePixels(pictureOf(source), { ...size, mode: 'OFF', models: NO_MODELS });
    const after = (await samplesOf(outputPath)).data;
    const moved = Array.from(picture.data, (value, i) => Math.abs(value - after[i]!));
    expect(moved.reduce((a, b) => Math.max(a, b))).toBe(4);
  });

  it('stays lossless if no JPEG is within the bound', async () => {
    const { outputPath } = await enhanceBytes(pdfOf(photograph(WIDTH, HEIGHT)), scratch('noise'), DOUBLED);
    expect(dictOf(outputPath).filter).toBe('FlateDecode');
  });

  it('stays lossless if only its tone changes', async () => {
    const dull = photograph(WIDTH, HEIGHT);
    const data = Buffer.from(dull.data.map((value) => 90 + value / 8));
    const bytes = buildPdf(imageOnGround(xObject(flateImage({ ...dull, data })), 72, 54, 1));
    const { outputPath, work } = await enhanceBytes(bytes, scratch('tone'), parametersOf());
    expect(work).toEqual({ colorOnly: 1, resizeOnly: 0, both: 0 });
    expect(dictOf(outputPath).filter).toBe('FlateDecode');
  });
});

test.each([false, true])(
  'an enlarged drawing from a JPEG of quality 95 keeps its chroma and needs fewer bytes, halved chroma: %s',
  async (subsampled) => {
    const { data, width, height } = logo(WIDTH, HEIGHT);
    const jpeg = await sharp(data, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 95, chromaSubsampling: subsampled ? '4:2:0' : '4:4:4' })
      .toBuffer();
    const dict = `/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`;
    const source = buildPdf(imageOnGround(xObject({ dict, data: jpeg }), WIDTH, HEIGHT, 1));
    const coded = async (name: string, more: object) => {
      const { outputPath } = await enhanceBytes(source, scratch(`${name}-${subsampled}`), DOUBLED, more);
      const pdf = openPdfDocument(outputPath);
      try {
        return pdf.rawData(readImageFacts(pdf, 10)!.stream);
      } finally {
        pdf.close();
      }
    };
    const [own, fine] = [await coded('own', {}), await coded('fine', { pdfQuality: 95 })];
    expect(readJpegTables(own)).toMatchObject({ subsampled });
    expect(readJpegTables(own)!.quality).toBeLessThan(95);
    expect(readJpegTables(own)!.quality).toBeGreaterThan(80);
    expect(own.length).toBeLessThan(fine.length);
  },
);

test('an enlarged drawing in RGB gets a palette, which keeps its even areas exact', async () => {
  const drawing = logo(WIDTH, HEIGHT);
  const path = scratch('palette');
  const { outputPath } = await enhanceBytes(
    buildPdf(imageOnGround(xObject(flateImage(drawing)), WIDTH, HEIGHT, 1)),
    path,
    DOUBLED,
  );
  const { family, filter } = dictOf(outputPath);
  expect([family, filter]).toEqual(['indexed', 'FlateDecode']);
  const size = { width: 2 * WIDTH, height: 2 * HEIGHT };
  const { picture } = await enhancePixels(pictureOf(drawing), { ...size, mode: 'OFF', models: NO_MODELS });
  const after = await samplesOf(outputPath);
  const errors = Array.from(picture.data, (value, at) => Math.abs(value - after.data[at]!));
  expect(errors.reduce((most, error) => Math.max(most, error))).toBeLessThanOrEqual(48);
  expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.6);
  const middle = (size.width * (size.height >> 1) + (size.width >> 1)) * 3;
  expect([...after.data.subarray(middle, middle + 3)]).toEqual([200, 16, 46]);
  expect(qpdfComplaint(outputPath)).toBe('');
});

test('an enlarged mask of hard edges is stored in 4 bits, and looks the same', async () => {
  const image = xObject(flateImage(logo(WIDTH, HEIGHT)), '/SMask 11 0 R');
  const bytes = buildPdf(imageOnGround(image, WIDTH, HEIGHT, 0.5, { 11: softMask(disc(WIDTH, HEIGHT)) }));
  const { inputPath, outputPath } = await enhanceBytes(bytes, scratch('levels'), DOUBLED);
  const pdf = openPdfDocument(outputPath);
  try {
    const mask = readMaskFacts(pdf, readImageFacts(pdf, 10)!)!;
    expect(mask.image.bits).toBe(4);
    expect(await decodeMask(pdf, mask)).toMatchObject({ width: 2 * WIDTH, height: 2 * HEIGHT });
  } finally {
    pdf.close();
  }
  expect(qpdfComplaint(outputPath)).toBe('');
  expect(renderedAlike(inputPath, outputPath) ?? Infinity).toBeGreaterThan(30);
});

describe('the edges of an enlarged mask', () => {
  it('differ by half a step at most, and clear or opaque pixels are exact', () => {
    const mask = pictureOf(disc(WIDTH, HEIGHT));
    const coarse = { ...mask, data: Uint8Array.from(mask.data) };
    coarsenEdges(coarse, EDGE_STEPS.mask);
    const levels = new Set<number>(coarse.data);
    expect(levels.size).toBeLessThan(new Set<number>(mask.data).size);
    const moved = Array.from(mask.data, (value, i) => Math.abs(value - coarse.data[i]!));
    expect(moved.reduce((a, b) => Math.max(a, b))).toBeLessThanOrEqual(8);
    expect(moved.filter((by, i) => by > 0 && (mask.data[i] === 0 || mask.data[i] === 255))).toEqual([]);
  });

  it('are the only part that changes: a gradient is preserved', () => {
    const data = Uint8Array.from({ length: 256 * 16 }, (_, i) => i % 256);
    // Without its jump from 255 to 0 there is no edge, since rows are compared apart.
    const gradient = pictureOf({ data: Buffer.from(data), width: 256, height: 16, channels: 1 });
    coarsenEdges(gradient, EDGE_STEPS.mask);
    expect([...gradient.data]).toEqual([...data]);
  });
});
