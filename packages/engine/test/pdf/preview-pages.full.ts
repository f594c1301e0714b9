import { truncateSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { listPdfPages } from '../../src/pdf/analyze/list-pages.ts';
import { MAX_RENDERED_BYTES, previewPdfPage } from '../../src/pdf/analyze/preview-page.ts';
import { scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { buildPdf } from '../../../pdf/test/build-pdf.ts';
import { flateImage, photograph } from './pictures.ts';
import { DOUBLED, enhanceBytes } from './support.ts';

const scratch = await scratchFolder();

/** A page of 300 × 200 points with a red picture of 32 × 32 pixels in its lower left quarter. */
function redPicture(pageEntries: string): Buffer {
  const red = Buffer.from(Array.from({ length: 32 * 32 }, () => [220, 20, 20]).flat());
  return buildPdf({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 200]>>',
    3: `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</XObject<</A 5 0 R>>>>${pageEntries}>>`,
    4: { dict: '', data: 'q 60 0 0 40 30 20 cm /A Do Q' },
    5: {
      dict: '/Type/XObject/Subtype/Image/Width 32/Height 32/ColorSpace/DeviceRGB/BitsPerComponent 8',
      data: red,
    },
  });
}

async function rendered(inputPath: string, page = 1, side: number | null = 960, otherPage?: number) {
  const outputPath = scratch('page.webp');
  await previewPdfPage({ inputPath, outputPath, page, side, ...(otherPage !== undefined && { otherPage }) });
  return { path: outputPath, ...(await sharp(outputPath).metadata()) };
}

/** The rectangle around all red pixels, in parts of the picture's sides. */
async function redArea(path: string) {
  const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = Array.from({ length: info.width * info.height }, (_, i) => i).filter(
    (i) => data[3 * i]! > 150 && data[3 * i + 1]! < 90,
  );
  const [xs, ys] = [at.map((i) => i % info.width), at.map((i) => Math.floor(i / info.width))];
  const extent = (values: number[], side: number) => {
    const [low, high] = values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)] as [number, number], [side, 0]);
    return [low / side, (high + 1 - low) / side] as const;
  };
  const [[left, width], [top, height]] = [extent(xs, info.width), extent(ys, info.height)];
  return { left, top, width, height };
}

describe('the areas of images on a page', () => {
  test.each([
    ['upright', ''],
    ['turned by 90°', '/Rotate 90'],
    ['turned by 180°', '/Rotate 180'],
    ['turned by -90°', '/Rotate -90'],
    ['with a crop box', '/CropBox[10 10 200 150]'],
    ['with a crop box and turned', '/CropBox[10 10 200 150]/Rotate 270'],
    ['with a crop box that cuts the image', '/CropBox[60 0 300 200]'],
    ['with user units of two points', '/UserUnit 2'],
  ])('equal those where PDFium draws the image: %s', async (_, entries) => {
    writeFileSync(scratch('red.pdf'), redPicture(entries));
    const { path, width, height } = await rendered(scratch('red.pdf'));
    const { pages, total } = await listPdfPages({ inputPath: scratch('red.pdf') });
    expect(total).toBe(1);
    const [{ images, ...page }] = pages as [(typeof pages)[0]];
    expect(page.page).toBe(1);
    expect(page.width / page.height).toBeCloseTo(width / height, 2);
    const red = await redArea(path);
    expect(images).toHaveLength(1);
    for (const side of ['left', 'top', 'width', 'height'] as const)
      expect(Math.abs(images[0]![side] - red[side])).toBeLessThan(0.005);
  });

  test('of a result are those of changed images, and only their pages are listed', async () => {
    const size = 240;
    const photo = flateImage(photograph(size, size, 3, 2));
    const image = { dict: `/Type/XObject/Subtype/Image ${photo.dict}`, data: photo.data };
    const page = (contents: number) =>
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents ${contents} 0 R/Resources<</XObject<</A 8 0 R>>>>>>`;
    const bytes = buildPdf({
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
      3: page(5),
      4: page(6),
      5: { dict: '', data: '0 0 100 100 re f' },
      6: { dict: '', data: 'q 200 0 0 200 100 100 cm /A Do Q' },
      8: image,
    });
    const { inputPath, outputPath } = await enhanceBytes(bytes, scratch('two'), DOUBLED);
    expect(await listPdfPages({ inputPath, resultPath: outputPath })).toEqual({
      total: 1,
      pages: [
        { page: 2, width: 400, height: 400, images: [{ number: 8, left: 0.25, top: 0.25, width: 0.5, height: 0.5 }] },
      ],
    });
    expect((await listPdfPages({ inputPath })).pages.map(({ images }) => images.length)).toEqual([0, 1]);
  });
});

describe('the picture of a page', () => {
  test('has the requested size, and 200 DPI at full size', async () => {
    writeFileSync(scratch('red.pdf'), redPicture(''));
    expect(await rendered(scratch('red.pdf'), 1, 320)).toMatchObject({ format: 'webp', width: 320, height: 213 });
    expect(await rendered(scratch('red.pdf'), 1, null)).toMatchObject({ width: 833, height: 555 });
  });

  test('of a poster at full size has at most 4,800 pixels a side', async () => {
    writeFileSync(scratch('poster.pdf'), redPicture('/MediaBox[0 0 14400 7200]'));
    expect(await rendered(scratch('poster.pdf'), 1, null)).toMatchObject({ width: 4800, height: 2400 });
  });

  test('shows white paper outside of drawings', async () => {
    writeFileSync(scratch('red.pdf'), redPicture(''));
    const { path } = await rendered(scratch('red.pdf'));
    expect([...(await readRgb(path)).data.subarray(0, 3)]).toEqual([255, 255, 255]);
  });

  test('is refused for a missing page, and for bytes that are not a PDF', async () => {
    writeFileSync(scratch('red.pdf'), redPicture(''));
    await expect(rendered(scratch('red.pdf'), 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    writeFileSync(scratch('text.pdf'), 'no PDF at all');
    await expect(rendered(scratch('text.pdf'))).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  test('is refused for a file that exceeds the memory of PDFium', async () => {
    writeFileSync(scratch('large.pdf'), redPicture(''));
    truncateSync(scratch('large.pdf'), MAX_RENDERED_BYTES + 1);
    await expect(rendered(scratch('large.pdf'))).rejects.toMatchObject({ code: 'PROCESSING_LIMIT' });
  });
});

describe('the two sides of a split page', () => {
  /** A page of 300 × 200 points whose pages end at 200 points, as splitting makes them. */
  function sides(more: string, order: readonly string[]): Buffer {
    const side = (box: string): string =>
      `<</Type/Page/Parent 2 0 R/MediaBox[${box}]${more}/Contents 4 0 R/Resources<</XObject<</A 5 0 R>>>>>>`;
    const red = Buffer.from(Array.from({ length: 32 * 32 }, () => [220, 20, 20]).flat());
    return buildPdf({
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: '<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>',
      3: side(order[0]!),
      4: { dict: '', data: 'q 60 0 0 40 30 20 cm /A Do Q' },
      5: { dict: '/Type/XObject/Subtype/Image/Width 32/Height 32/ColorSpace/DeviceRGB/BitsPerComponent 8', data: red },
      6: side(order[1]!),
    });
  }

  test.each([
    ['from left to right', '', ['0 0 200 200', '200 0 300 200']],
    ['from right to left', '', ['200 0 300 200', '0 0 200 200']],
    ['upside down', '/Rotate 180', ['0 0 200 200', '200 0 300 200']],
    ['on their side', '/Rotate 90', ['200 0 300 200', '0 0 200 200']],
    ['below each other', '', ['0 0 300 50', '0 50 300 200']],
    ['of two points a unit', '/UserUnit 2', ['200 0 300 200', '0 0 200 200']],
  ])('are drawn beside each other as they lie on it: %s', async (name, more, order) => {
    const [whole, cut] = [scratch('whole.pdf'), scratch('cut.pdf')];
    writeFileSync(whole, redPicture(more));
    writeFileSync(cut, sides(more, order));
    const before = await rendered(whole, 1, 600);
    const area = await redArea(before.path);
    const after = await rendered(cut, 1, 600, 2);
    expect([name, after.width, after.height]).toEqual([name, before.width, before.height]);
    const found = await redArea(after.path);
    for (const key of ['left', 'top', 'width', 'height'] as const)
      expect(Math.abs(found[key] - area[key])).toBeLessThan(0.01);
  });
});
