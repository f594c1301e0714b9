import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { priceOfPdf } from '../../../../src/domain/enhancement/prices.ts';
import type { PdfParameters } from '../../src/contract/parameters.ts';
import type { Picture } from '../../src/image/picture.ts';
import { encodeBilevel } from '../../src/pdf/images/bilevel-encoder.ts';
import { enlargeBilevel } from '../../src/pdf/images/bilevel-smooth.ts';
import { estimatePdf } from '../../src/pdf/enhance/enhance.ts';
import { drawPdfiumPage, loadPdfiumPage, openWithPdfium } from '../../src/pdf/pdfium.ts';
import { previewPdfImage } from '../../src/pdf/analyze/preview-image.ts';
import { readRgb } from '../support/read-rgb.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage, onePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { packed } from './encoders.ts';
import { arithmeticJbig2, faxJbig2 } from './jbig2-encoder.ts';
import { qpdfComplaint } from './judges.ts';
import { RESIZE_ONLY, analyzeBytes, enhanceBytes, samplesOf } from './support.ts';

const scratch = await scratchFolder();
const [WIDTH, HEIGHT] = [96, 80];
/** Three times the size of an image that is drawn at 72 pixels an inch. */
const SMOOTH: PdfParameters = { ...RESIZE_ONLY, targetResolution: 216, bilevel: 'SMOOTH' };

/** Black where `isBlack` says so, at the middle of each pixel. */
function bitmap(width: number, height: number, isBlack: (x: number, y: number) => boolean): Picture {
  const data = new Uint8Array(width * height);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) data[at] = isBlack(x + 0.5, y + 0.5) ? 0 : 255;
  return { data, width, height, channels: 1, space: 'grey', hasAlpha: false };
}

const EMPTY = Buffer.alloc(0);
const isDisc = (x: number, y: number): boolean => Math.hypot(x - 48, y - 40) < 30;
/** A disc, a thin line, a lone dot and a field of dither. */
const PICTURE = bitmap(WIDTH, HEIGHT, (x, y) => {
  const isDither = x > 80 && y > 60 && (Math.floor(x) + Math.floor(y)) % 2 === 0;
  return isDisc(x, y) || (x > 4 && x < 5) || (Math.floor(x) === 88 && Math.floor(y) === 8) || isDither;
});

const bitsOf = ({ data, width, height }: Picture): Buffer =>
  packed({ data: Buffer.from(data), width, height, channels: 1 }, 1);
const inverted = (picture: Picture): Picture => ({ ...picture, data: picture.data.map((sample) => 255 - sample) });
const sizeOf = ({ width, height }: Picture): string => `/Width ${width}/Height ${height}`;

function flate(picture: Picture, more = '/ColorSpace/DeviceGray/BitsPerComponent 1'): { dict: string; data: Buffer } {
  return { dict: `${sizeOf(picture)}/Filter/FlateDecode${more}`, data: deflateSync(bitsOf(picture)) };
}

/** The only strip of a TIFF by libtiff, in CCITT group 4: black, 0, is coded as black. */
async function group4({ data, width, height }: Picture): Promise<Buffer> {
  const tiff = await sharp(data, { raw: { width, height, channels: 1 } })
    .negate()
    .toColourspace('b-w')
    .tiff({ compression: 'ccittfax4', bitdepth: 1, tileHeight: height })
    .toBuffer();
  const directory = tiff.readUInt32LE(4);
  const entries = Array.from({ length: tiff.readUInt16LE(directory) }, (_, i) => directory + 2 + i * 12);
  const valueOf = (tag: number): number => tiff.readUInt32LE(entries.find((at) => tiff.readUInt16LE(at) === tag)! + 8);
  return tiff.subarray(valueOf(273), valueOf(273) + valueOf(279));
}

async function fax(picture: Picture, blackIs1: boolean): Promise<{ dict: string; data: Buffer }> {
  const parameters = `/DecodeParms<</K -1/Columns ${picture.width}/Rows ${picture.height}/BlackIs1 ${blackIs1}>>`;
  const meaning = `${blackIs1 ? '/Decode[1 0]' : ''}/ColorSpace/DeviceGray/BitsPerComponent 1`;
  return { dict: `${sizeOf(picture)}/Filter/CCITTFaxDecode${parameters}${meaning}`, data: await group4(picture) };
}

function jbig2(picture: Picture, { page, region }: { page: Buffer; region: Buffer } = arithmeticJbig2(picture)) {
  return {
    dict: `${sizeOf(picture)}/Filter/JBIG2Decode/ColorSpace/DeviceGray/BitsPerComponent 1`,
    data: Buffer.concat([page, region]),
  };
}

const pageOf = (image: { dict: string; data: Buffer }): Buffer => buildPdf(imagePage(image, WIDTH, HEIGHT));

/** The image as PDFium draws it on the first page, at a resolution, pixels an inch. */
async function drawn(path: string, resolution: number): Promise<Picture> {
  const scale = resolution / 72;
  const document = await openWithPdfium(readFileSync(path));
  const size = { width: 612 * scale, height: 792 * scale };
  const data = drawPdfiumPage(document, loadPdfiumPage(document, 0), size, 'GREY');
  const [left, top, width, height] = [50, 792 - 50 - HEIGHT, WIDTH, HEIGHT].map((points) => points * scale);
  return bitmap(width!, height!, (x, y) => {
    return data[Math.floor(top! + y) * size.width + Math.floor(left! + x)]! < 128;
  });
}

/** Pixels in which two pictures of one size differ. */
function differences(one: Picture, other: Picture): number {
  let count = 0;
  for (let i = 0; i < one.data.length; i += 1) if (one.data[i] !== other.data[i]) count += 1;
  return count;
}

/** Pixels that are black in the first picture alone. */
const lostInk = (one: Picture, other: Picture): number =>
  Array.from(one.data).filter((sample, i) => sample === 0 && other.data[i] !== 0).length;

/** The pixel in the middle of each square of three by three. */
const middles = (picture: Picture): Picture =>
  bitmap(WIDTH, HEIGHT, (x, y) => picture.data[Math.floor(y * 3) * picture.width + Math.floor(x * 3)] === 0);

const KINDS: [string, () => Promise<{ dict: string; data: Buffer }>, string][] = [
  ['Flate', async () => flate(PICTURE), 'one-bit'],
  [
    'Flate that Decode inverts',
    async () => flate(inverted(PICTURE), '/ColorSpace/DeviceGray/BitsPerComponent 1/Decode[1 0]'),
    'one-bit',
  ],
  [
    'a palette of white and black',
    async () => flate(inverted(PICTURE), '/ColorSpace[/Indexed/DeviceGray 1<ff00>]/BitsPerComponent 1'),
    'one-bit',
  ],
  ['a stencil', async () => flate(PICTURE, '/ImageMask true'), 'stencil-mask'],
  ['CCITT group 4', () => fax(PICTURE, false), 'ccitt'],
  ['CCITT group 4 with BlackIs1 and a Decode that inverts', () => fax(PICTURE, true), 'ccitt'],
  ['JBIG2', () => Promise.resolve(jbig2(PICTURE)), 'jbig2'],
];

describe('an image of one bit', () => {
  it.each(KINDS)('in %s stays as it is by default, and costs nothing', async (_, make, reason) => {
    const bytes = pageOf(await make());
    const { analysis } = await analyzeBytes(bytes, scratch('kept'));
    expect(analysis).toMatchObject({ totalCredits: 0, statistics: { images: 1, resizeEligible: 0 } });
    const kept = await enhanceBytes(bytes, scratch('kept'), SMOOTH, { bilevel: 'KEEP' });
    expect(kept).toMatchObject({ enhanced: 0, skipped: [{ reason, count: 1 }], work: { resizeOnly: 0 } });
  });

  it.each(KINDS)('in %s is drawn three times as fine, and keeps its ink', async (_, make) => {
    const bytes = pageOf(await make());
    const { facts } = await analyzeBytes(bytes, scratch('smooth'));
    const credits = priceOfPdf((await estimatePdf({ facts, parameters: SMOOTH })).work);
    const made = await enhanceBytes(bytes, scratch('smooth'), SMOOTH);
    expect({ credits, ...made }).toMatchObject({ credits: 4, enhanced: 1, skipped: [], work: { resizeOnly: 1 } });
    expect(differences(await drawn(made.inputPath, 72), PICTURE)).toBe(0);
    const after = await drawn(made.outputPath, 216);
    expect(differences(after, enlargeBilevel(PICTURE, WIDTH * 3, HEIGHT * 3))).toBe(0);
    expect(lostInk(PICTURE, middles(after))).toBe(0);
    expect(differences(middles(after), PICTURE)).toBeLessThan(30);
    expect(qpdfComplaint(made.outputPath)).toBe('');
  });

  it('is decoded to the samples that were coded, in CCITT and in JBIG2', async () => {
    for (const [name, image] of [
      ['fax', await fax(PICTURE, false)],
      ['jbig2', jbig2(PICTURE)],
    ] as const) {
      const { inputPath } = await enhanceBytes(pageOf(image), scratch(name), RESIZE_ONLY);
      expect(differences(await samplesOf(inputPath), PICTURE)).toBe(0);
    }
  });

  it('gets rounder: a disc has a third fewer wrong pixels than repeated pixels have', () => {
    const truth = bitmap(WIDTH * 4, HEIGHT * 4, (x, y) => isDisc(x / 4, y / 4));
    const disc = bitmap(WIDTH, HEIGHT, isDisc);
    const repeated = bitmap(
      WIDTH * 4,
      HEIGHT * 4,
      (x, y) => disc.data[Math.floor(y / 4) * WIDTH + Math.floor(x / 4)] === 0,
    );
    const smooth = differences(enlargeBilevel(disc, WIDTH * 4, HEIGHT * 4), truth);
    expect(smooth).toBeLessThan((differences(repeated, truth) * 2) / 3);
  });

  it('closes the gap of two pixels in a stroke, and keeps two strokes apart', () => {
    const isBlack = (x: number, y: number, gap: number): boolean =>
      x > 18 && x < 20 && y > 4 && y < 36 && Math.abs(y - 20) > gap / 2;
    const widthAt = (picture: Picture, row: number): number =>
      picture.data.subarray(row * picture.width, (row + 1) * picture.width).filter((sample) => sample === 0).length;
    const [broken, apart] = [2, 6].map((gap) =>
      enlargeBilevel(
        bitmap(40, 40, (x, y) => isBlack(x, y, gap)),
        160,
        160,
      ),
    );
    for (let row = 20; row < 140; row += 1) expect(widthAt(broken!, row)).toBeGreaterThan(0);
    expect(widthAt(apart!, 80)).toBe(0);
  });

  it('keeps ink and paper where black prevails as it does where white does', () => {
    const [light, dark] = [PICTURE, inverted(PICTURE)].map((picture) => enlargeBilevel(picture, WIDTH * 2, HEIGHT * 2));
    expect(differences(inverted(dark!), light!)).toBe(0);
  });

  it('is written as Flate where that is smaller than group 4', async () => {
    let state = 1;
    const noise = bitmap(256, 256, () => (state = (Math.imul(state, 1664525) + 1013904223) | 0) >>> 31 === 1);
    expect(await encodeBilevel(noise)).toMatchObject({ filter: 'FlateDecode', bits: 1 });
    const disc = bitmap(WIDTH * 8, HEIGHT * 8, (x, y) => isDisc(x / 8, y / 8));
    expect(await encodeBilevel(disc)).toMatchObject({ filter: 'CCITTFaxDecode', bits: 1 });
    expect(await encodeBilevel(inverted(disc))).toMatchObject({ filter: 'CCITTFaxDecode', bits: 1 });
  });

  it('is written as CCITT group 4 that readers draw as the same pixels, whichever colour there is more of', async () => {
    const disc = bitmap(WIDTH * 2, HEIGHT * 2, (x, y) => isDisc(x / 2, y / 2));
    for (const picture of [disc, inverted(disc)]) {
      const made = await enhanceBytes(pageOf(flate(picture)), scratch('disc'), SMOOTH, { targetResolution: 432 });
      expect(readFileSync(made.outputPath, 'latin1')).toContain('/CCITTFaxDecode');
      const whole = enlargeBilevel(picture, WIDTH * 6, HEIGHT * 6);
      expect(differences(await samplesOf(made.outputPath), whole)).toBe(0);
      expect(differences(await drawn(made.outputPath, 432), whole)).toBe(0);
    }
  });

  it('in strips is one picture, charged once and smooth where they meet', async () => {
    const [top, bottom] = [32, HEIGHT - 32];
    const strip = (from: number, height: number): Picture =>
      bitmap(WIDTH, height, (x, y) => PICTURE.data[Math.floor(y + from) * WIDTH + Math.floor(x)] === 0);
    const content = `q ${WIDTH} 0 0 ${top} 50 ${50 + bottom} cm /Im0 Do Q q ${WIDTH} 0 0 ${bottom} 50 50 cm /Im1 Do Q`;
    const object = ({ dict, data }: { dict: string; data: Buffer }): Objects[number] => ({
      dict: `/Type/XObject/Subtype/Image${dict}`,
      data,
    });
    const bytes = buildPdf(
      onePage(content, '/XObject<</Im0 10 0 R/Im1 11 0 R>>', {
        10: object(flate(strip(0, top))),
        11: object(flate(strip(top, bottom))),
      }),
    );
    const made = await enhanceBytes(bytes, scratch('strips'), SMOOTH);
    expect(made).toMatchObject({ enhanced: 2, skipped: [], work: { resizeOnly: 1 } });
    const whole = enlargeBilevel(PICTURE, WIDTH * 3, HEIGHT * 3);
    expect(differences(await drawn(made.outputPath, 216), whole)).toBe(0);
  });

  it('of one colour is neither changed nor charged', async () => {
    const blank = pageOf(
      await fax(
        bitmap(WIDTH, HEIGHT, () => false),
        false,
      ),
    );
    const made = await enhanceBytes(blank, scratch('blank'), SMOOTH);
    const skipped = [{ reason: 'single-color', count: 1 }];
    expect(made).toMatchObject({ enhanced: 0, skipped, work: { resizeOnly: 0 } });
  });

  it('whose data is damaged is neither changed nor charged', async () => {
    const { dict } = flate(PICTURE);
    const made = await enhanceBytes(pageOf({ dict, data: deflateSync(Buffer.alloc(20)) }), scratch('damaged'), SMOOTH);
    expect(made).toMatchObject({ enhanced: 0, skipped: [{ reason: 'damaged', count: 1 }], work: { resizeOnly: 0 } });
  });

  it('in JBIG2 in fax coding is decoded to the samples that were coded', async () => {
    const coded = jbig2(PICTURE, faxJbig2(PICTURE, await group4(PICTURE)));
    const made = await enhanceBytes(pageOf(coded), scratch('fax-jbig2'), SMOOTH);
    expect(made).toMatchObject({ enhanced: 1, skipped: [], work: { resizeOnly: 1 } });
    expect(differences(await samplesOf(made.inputPath), PICTURE)).toBe(0);
  });

  it.each([
    ['the header of a file', Buffer.from('974a42320d0a1a0a0100000001', 'hex'), EMPTY],
    ['the header of a file of unknown length', Buffer.from('974a42320d0a1a0a03', 'hex'), EMPTY],
    ['bytes behind the end of its page', EMPTY, Buffer.from(`0000000231000100000000${'20'.repeat(40)}`, 'hex')],
  ])('in JBIG2 with %s has the samples that were coded', async (_, before, after) => {
    const { dict, data } = jbig2(PICTURE);
    const bytes = pageOf({ dict, data: Buffer.concat([before, data, after]) });
    const made = await enhanceBytes(bytes, scratch('more'), SMOOTH);
    expect(made).toMatchObject({ enhanced: 1, skipped: [] });
    expect(differences(await samplesOf(made.inputPath), PICTURE)).toBe(0);
  });

  it('in JBIG2 with an empty stream of global segments has the samples that were coded', async () => {
    const { dict, data } = jbig2(PICTURE);
    const image = `/Type/XObject/Subtype/Image${dict}/DecodeParms<</JBIG2Globals 11 0 R>>`;
    const content = `q ${WIDTH} 0 0 ${HEIGHT} 50 50 cm /Im0 Do Q`;
    const objects: Objects = { 10: { dict: image, data }, 11: { dict: '', data: EMPTY } };
    const bytes = buildPdf(onePage(content, '/XObject<</Im0 10 0 R>>', objects));
    const made = await enhanceBytes(bytes, scratch('globals'), SMOOTH);
    expect(made).toMatchObject({ enhanced: 1, skipped: [] });
    expect(differences(await samplesOf(made.inputPath), PICTURE)).toBe(0);
  });

  it('without any JBIG2 data is damaged, at no charge', async () => {
    const made = await enhanceBytes(pageOf({ ...jbig2(PICTURE), data: EMPTY }), scratch('none'), SMOOTH);
    expect(made).toMatchObject({ enhanced: 0, skipped: [{ reason: 'damaged', count: 1 }], work: { resizeOnly: 0 } });
  });

  it('in JBIG2 with a second region by exclusive or has the samples that differ between the two', async () => {
    const bars = bitmap(WIDTH, HEIGHT, (x) => Math.floor(x / 8) % 2 === 0);
    const [first, second] = [arithmeticJbig2(PICTURE), arithmeticJbig2(bars)];
    const byExclusiveOr = Buffer.from(second.region);
    // Behind the header of the segment, and the size and place of the region.
    byExclusiveOr[27] = 2;
    const both = { page: first.page, region: Buffer.concat([first.region, byExclusiveOr]) };
    const made = await enhanceBytes(pageOf(jbig2(PICTURE, both)), scratch('both'), SMOOTH);
    const data = PICTURE.data.map((sample, i) => (sample === bars.data[i] ? 255 : 0));
    expect(differences(await samplesOf(made.inputPath), { ...PICTURE, data })).toBe(0);
    expect(made.enhanced).toBe(1);
  });

  it.each([1, 2, 20, 60])('in JBIG2 that ends %d bytes too early is damaged, at no charge', async (missing) => {
    const { page, region } = arithmeticJbig2(PICTURE);
    const cut = jbig2(PICTURE, { page, region: region.subarray(0, -missing) });
    const made = await enhanceBytes(pageOf(cut), scratch('cut'), SMOOTH);
    expect(made).toMatchObject({ enhanced: 0, skipped: [{ reason: 'damaged', count: 1 }], work: { resizeOnly: 0 } });
  });

  it('that has the wanted resolution already is left alone', async () => {
    const made = await enhanceBytes(pageOf(flate(PICTURE)), scratch('fine'), SMOOTH, { targetResolution: 72 });
    expect(made).toMatchObject({ enhanced: 0, skipped: [{ reason: 'one-bit', count: 1 }] });
  });

  it('has a preview, before and after', async () => {
    const made = await enhanceBytes(pageOf(jbig2(PICTURE)), scratch('preview'), SMOOTH);
    for (const inputPath of [made.inputPath, made.outputPath]) {
      const outputPath = scratch('preview.webp');
      await previewPdfImage({ inputPath, outputPath, number: 10, side: WIDTH });
      const { data, width } = await readRgb(outputPath);
      const at = (x: number, y: number): number => data[(y * width + x) * 3]!;
      expect([at(48, 40) < 60, at(70, 75) > 200]).toEqual([true, true]);
    }
  });
});
