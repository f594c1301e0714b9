import { writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { PdfParameters } from '@burnish/contract/engine';
import type { Picture } from '../../src/image/picture.ts';
import { DamagedImage } from '../../src/pdf/images/damaged-image.ts';
import { previewPdfImage } from '../../src/pdf/analyze/preview-image.ts';
import { readRgb } from '../support/read-rgb.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage, onePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { packed } from './encoders.ts';
import { arithmeticJbig2, faxJbig2 } from './jbig2-encoder.ts';
import { RESIZE_ONLY, analyzeBytes, enhanceBytes, samplesOf } from './support.ts';

const scratch = await scratchFolder();
const [WIDTH, HEIGHT] = [96, 80];
/** Three times the resolution of an image that is drawn at 72 pixels an inch. */
const FINER: PdfParameters = { ...RESIZE_ONLY, targetResolution: 216 };

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

const FILE_HEADER = Buffer.from('974a42320d0a1a0a0100000001', 'hex');
const HEADER_WITHOUT_LENGTH = Buffer.from('974a42320d0a1a0a03', 'hex');
const AFTER_PAGE = Buffer.from(`0000000231000100000000${'20'.repeat(40)}`, 'hex');

function cutJbig2(missing: number) {
  const { page, region } = arithmeticJbig2(PICTURE);
  return jbig2(PICTURE, { page, region: region.subarray(0, -missing) });
}

const BARS = bitmap(WIDTH, HEIGHT, (x) => Math.floor(x / 8) % 2 === 0);
const EXCLUSIVE_OR: Picture = {
  ...PICTURE,
  data: PICTURE.data.map((sample, i) => (sample === BARS.data[i] ? 255 : 0)),
};

function withSecondRegion() {
  const [first, second] = [arithmeticJbig2(PICTURE), arithmeticJbig2(BARS)];
  const byExclusiveOr = Buffer.from(second.region);
  // Behind the header of the segment, and the size and place of the region.
  byExclusiveOr[27] = 2;
  return jbig2(PICTURE, { page: first.page, region: Buffer.concat([first.region, byExclusiveOr]) });
}

function withGlobals({ dict, data }: { dict: string; data: Buffer }, globals: Buffer): Buffer {
  const image = `/Type/XObject/Subtype/Image${dict}/DecodeParms<</JBIG2Globals 11 0 R>>`;
  const content = `q ${WIDTH} 0 0 ${HEIGHT} 50 50 cm /Im0 Do Q`;
  const objects: Objects = { 10: { dict: image, data }, 11: { dict: '', data: globals } };
  return buildPdf(onePage(content, '/XObject<</Im0 10 0 R>>', objects));
}

const pageOf = (image: { dict: string; data: Buffer }): Buffer => buildPdf(imagePage(image, WIDTH, HEIGHT));

/** Samples of the image on a page, as the engine reads them. */
async function readSamples(page: Buffer): Promise<Picture> {
  const path = scratch('read.pdf');
  writeFileSync(path, page);
  return samplesOf(path);
}

/** Pixels in which two pictures of one size differ. */
function differences(one: Picture, other: Picture): number {
  let count = 0;
  for (let i = 0; i < one.data.length; i += 1) if (one.data[i] !== other.data[i]) count += 1;
  return count;
}

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
  it.each(KINDS)('in %s stays as it is, and costs nothing', async (_, make, reason) => {
    const bytes = pageOf(await make());
    const { analysis } = await analyzeBytes(bytes, scratch('kept'));
    expect(analysis).toMatchObject({ totalCredits: 0, statistics: { images: 1, resizeEligible: 0 } });
    const kept = await enhanceBytes(bytes, scratch('kept'), FINER);
    expect(kept).toMatchObject({ enhanced: 0, skipped: [{ reason, count: 1 }], work: { resizeOnly: 0 } });
  });

  it('has a preview', async () => {
    const [inputPath, outputPath] = [scratch('shown.pdf'), scratch('preview.webp')];
    writeFileSync(inputPath, pageOf(jbig2(PICTURE)));
    await previewPdfImage({ inputPath, outputPath, number: 10, side: WIDTH });
    const { data, width } = await readRgb(outputPath);
    const at = (x: number, y: number): number => data[(y * width + x) * 3]!;
    expect([at(48, 40) < 60, at(70, 75) > 200]).toEqual([true, true]);
  });
});

describe('the samples of an image of one bit are those that were coded', () => {
  const { dict, data } = jbig2(PICTURE);

  it.each<[string, () => Promise<Buffer> | Buffer]>([
    ['CCITT group 4', async () => pageOf(await fax(PICTURE, false))],
    ['CCITT group 4 with BlackIs1', async () => pageOf(await fax(inverted(PICTURE), true))],
    ['JBIG2', () => pageOf({ dict, data })],
    ['JBIG2 in fax coding', async () => pageOf(jbig2(PICTURE, faxJbig2(PICTURE, await group4(PICTURE))))],
    ['JBIG2 with the header of a file', () => pageOf({ dict, data: Buffer.concat([FILE_HEADER, data]) })],
    ['JBIG2 of unknown length', () => pageOf({ dict, data: Buffer.concat([HEADER_WITHOUT_LENGTH, data]) })],
    ['JBIG2 with bytes behind its page', () => pageOf({ dict, data: Buffer.concat([data, AFTER_PAGE]) })],
    ['JBIG2 with an empty stream of global segments', () => withGlobals({ dict, data }, EMPTY)],
    ['JBIG2 whose second region is combined by exclusive or', () => pageOf(withSecondRegion())],
  ])('in %s', async (name, make) => {
    const expected = name.endsWith('exclusive or') ? EXCLUSIVE_OR : PICTURE;
    expect(differences(await readSamples(await make()), expected)).toBe(0);
  });
});

describe('an image of one bit is damaged', () => {
  it.each([
    ['if its samples are cut', { dict: flate(PICTURE).dict, data: deflateSync(Buffer.alloc(20)) }],
    ['without any JBIG2 data', { ...jbig2(PICTURE), data: EMPTY }],
    ...[1, 2, 20, 60].map((missing) => [`if its JBIG2 ends ${missing} bytes too early`, cutJbig2(missing)] as const),
  ])('%s', async (_, image) => {
    await expect(readSamples(pageOf(image))).rejects.toThrow(DamagedImage);
  });
});
