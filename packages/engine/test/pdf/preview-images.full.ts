import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { analyzePdf } from '../../src/pdf/enhance/enhance.ts';
import { listEnhancedPdfImages, listPdfImages } from '../../src/pdf/analyze/list-images.ts';
import { previewPdfImage } from '../../src/pdf/analyze/preview-image.ts';
import { cmykTiff } from '../../src/image/codecs/cmyk-tiff.ts';
import { pixel, scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { buildPdf, imagePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { withoutAdobeMarker } from './encoders.ts';
import { disc } from './made-pictures.ts';
import { flateImage, jpegImage, photograph, scan } from './pictures.ts';
import { DOUBLED, HEIGHT, WIDTH, enhanceBytes } from './support.ts';

const scratch = await scratchFolder();
const size = `/Width ${WIDTH}/Height ${HEIGHT}`;

/** Three pages: a photograph; the same beside another and a tiny one; a page of one bit. */
async function threePages(): Promise<Objects> {
  const dict = (image: { dict: string; data: Buffer }) => ({
    dict: `/Type/XObject/Subtype/Image ${image.dict}`,
    data: image.data,
  });
  const page = (contents: number, images: string) =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${contents} 0 R/Resources<</XObject<<${images}>>>>>>`;
  const draw = (name: string, side: number) => `q ${side} 0 0 ${side * 0.75} 50 50 cm /${name} Do Q `;
  return {
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3>>',
    3: page(6, '/A 12 0 R'),
    4: page(7, '/A 12 0 R/B 10 0 R/T 11 0 R'),
    5: page(8, '/S 13 0 R'),
    6: { dict: '', data: draw('A', WIDTH) },
    7: { dict: '', data: draw('A', WIDTH / 4) + draw('B', WIDTH / 4) + draw('T', 8) },
    8: { dict: '', data: draw('S', WIDTH) },
    10: dict(flateImage(photograph(WIDTH, HEIGHT, 3, 2))),
    11: dict(flateImage(photograph(8, 8, 3, 3))),
    12: dict(await jpegImage(photograph(WIDTH, HEIGHT))),
    13: {
      dict: `/Type/XObject/Subtype/Image ${size}/ColorSpace/DeviceGray/BitsPerComponent 1`,
      data: Buffer.alloc((WIDTH / 8) * HEIGHT, 0x55),
    },
  };
}

async function preview(inputPath: string, number: number, side: number | null) {
  const outputPath = scratch('preview.webp');
  await previewPdfImage({ inputPath, outputPath, number, side });
  return { ...(await sharp(outputPath).metadata()), path: outputPath };
}

describe('the list of images of a PDF', () => {
  test('includes their first page, without images that are never enhanced', async () => {
    writeFileSync(scratch('three.pdf'), buildPdf(await threePages()));
    const unknown = { kind: null, kindReason: null };
    expect(await listPdfImages({ inputPath: scratch('three.pdf') })).toEqual({
      total: 2,
      images: [
        { number: 12, page: 1, pages: 2, width: WIDTH, height: HEIGHT, resolution: 72, ...unknown },
        { number: 10, page: 2, pages: 1, width: WIDTH, height: HEIGHT, resolution: 288, ...unknown },
      ],
    });
  });

  test('includes what each shows, from the facts of the analysis', async () => {
    const [inputPath, factsPath] = [scratch('known.pdf'), scratch('known.json')];
    writeFileSync(inputPath, buildPdf(await threePages()));
    await analyzePdf({ inputPath, factsPath });
    const { images } = await listPdfImages({ inputPath, factsPath });
    expect(images).toMatchObject([
      { number: 12, kind: 'PHOTOGRAPH', kindReason: 'natural' },
      { number: 10, kind: 'PHOTOGRAPH', kindReason: 'natural' },
    ]);
  });

  test('of an enhancement includes the changed images with their new size', async () => {
    const { inputPath, outputPath } = await enhanceBytes(buildPdf(await threePages()), scratch('changed'), DOUBLED);
    const { total, images } = await listEnhancedPdfImages({ inputPath, resultPath: outputPath });
    expect(total).toBe(1);
    const doubled = { width: WIDTH * 2, height: HEIGHT * 2 };
    expect(images).toMatchObject([{ number: 12, page: 1, enhanced: doubled }]);
  });
});

describe('the preview of an image of a PDF', () => {
  test('is made from the original and from the result, by the same number', async () => {
    const { inputPath, outputPath } = await enhanceBytes(buildPdf(await threePages()), scratch('both'), DOUBLED);
    expect(await preview(inputPath, 12, null)).toMatchObject({ format: 'webp', width: WIDTH, height: HEIGHT });
    expect(await preview(outputPath, 12, null)).toMatchObject({ width: WIDTH * 2, height: HEIGHT * 2 });
    expect(await preview(outputPath, 12, 60)).toMatchObject({ width: 60, height: 45 });
    expect(await preview(inputPath, 10, 60)).toMatchObject({ width: 60, height: 45 });
  });

  test.each([
    ['as a program of Adobe writes it', '/Decode[1 0 1 0 1 0 1 0]', (jpeg: Buffer) => jpeg],
    ['without the marker of Adobe', '', withoutAdobeMarker],
  ])('shows CMYK %s as a PDF reader does', async (name, decode, change) => {
    const cyan = Buffer.alloc(WIDTH * HEIGHT * 4);
    for (let at = 0; at < cyan.length; at += 4) cyan[at] = 255;
    const tiff = sharp(cmykTiff({ data: cyan, width: WIDTH, height: HEIGHT }))
      .pipelineColourspace('cmyk')
      .toColourspace('cmyk');
    const data = change(await tiff.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer());
    const image = { dict: `${size}/ColorSpace/DeviceCMYK/BitsPerComponent 8/Filter/DCTDecode${decode}`, data };
    const path = scratch(`${name.length}.pdf`);
    writeFileSync(path, buildPdf(imagePage(image, WIDTH, HEIGHT)));
    const [red, , blue] = pixel(await readRgb((await preview(path, 10, 60)).path), 30, 20);
    // Without marker and array the very same samples stand for all the other inks, which is black.
    if (decode !== '') expect(blue! - red!).toBeGreaterThan(100);
    else expect(Math.max(red!, blue!)).toBeLessThan(60);
  });

  test('applies a Decode array that inverts black and white', async () => {
    const image = flateImage(scan(WIDTH, HEIGHT, 1), '/Decode[1 0]');
    writeFileSync(scratch('inverted.pdf'), buildPdf(imagePage(image, WIDTH, HEIGHT)));
    const { data } = await sharp((await preview(scratch('inverted.pdf'), 10, 60)).path)
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(data.reduce((sum, value) => sum + value, 0) / data.length).toBeLessThan(128);
  });

  test.each([
    ['a soft mask', '/SMask 11 0 R', ''],
    ['a soft mask whose colours are blended with black', '/SMask 11 0 R', '/Matte[0 0 0]'],
  ])('shows white if %s hides the image, before and after it is enlarged', async (_, mask, matte) => {
    const shape = disc(WIDTH, HEIGHT);
    const data = Buffer.alloc(WIDTH * HEIGHT * 3);
    for (let at = 0; at < data.length; at += 3) data[at] = matte === '' ? 220 : (220 * shape.data[at / 3]!) / 255;
    const image = flateImage({ data, width: WIDTH, height: HEIGHT, channels: 3 }, mask);
    const soft = flateImage(shape, matte);
    const more = { 11: { dict: `/Type/XObject/Subtype/Image ${soft.dict}`, data: soft.data } };
    const bytes = buildPdf(imagePage(image, WIDTH, HEIGHT, more));
    const { inputPath, outputPath } = await enhanceBytes(bytes, scratch('masked'), DOUBLED);
    for (const path of [inputPath, outputPath]) {
      const shown = await readRgb((await preview(path, 10, WIDTH)).path);
      const [corner, middle] = [pixel(shown, 2, 2), pixel(shown, WIDTH / 2, HEIGHT / 2)];
      expect(Math.min(...corner)).toBeGreaterThan(245);
      expect(Math.abs(middle[0]! - 220)).toBeLessThan(8);
      expect(Math.max(middle[1]!, middle[2]!)).toBeLessThan(16);
    }
  });

  test('is refused for an object that is not an image or is never enhanced', async () => {
    writeFileSync(scratch('refused.pdf'), buildPdf(await threePages()));
    for (const number of [1, 11, 99]) {
      await expect(preview(scratch('refused.pdf'), number, 60)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});
