import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from '@jest/globals';
import { previewPdfImage } from '../../src/pdf/analyze/preview-image.ts';
import { scratchFolder } from '../support/files.ts';
import { readRgb } from '../support/read-rgb.ts';
import { psnr } from '../support/measure.ts';
import { buildPdf, imagePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { doubled, halved, type Image } from './doubled.ts';
import { jpx } from './encoders.ts';
import { rendered } from './judges.ts';
import { flateImage, jpegImage, photograph } from './pictures.ts';
import { analyzeBytes, HEIGHT, parametersOf, enhanceBytes, WIDTH } from './support.ts';

const scratch = await scratchFolder();

/** A calculator function from inks to CMYK (ISO 32000-1 section 7.10.5). */
const tint = (inks: number, program: string): Objects => ({
  12: {
    dict: `/FunctionType 4/Domain[${'0 1 '.repeat(inks)}]/Range[0 1 0 1 0 1 0 1]`,
    data: program,
  },
});
const ink = (name: string): string => `/ColorSpace[/Separation/${name}/DeviceCMYK 12 0 R]`;
const inks = (names: string): string => `/ColorSpace[/DeviceN[${names}]/DeviceCMYK 12 0 R]`;
const LAB = '/ColorSpace[/Lab<</WhitePoint[0.9642 1 0.8249]/Range[-128 127 -128 127]>>]';
const grey = photograph(WIDTH, HEIGHT, 1);
const greyJpeg = await jpegImage(grey);
const cmykJpx: Image = {
  dict: `/Width ${WIDTH}/Height ${HEIGHT}/ColorSpace/DeviceCMYK/Filter/JPXDecode`,
  data: await jpx(photograph(WIDTH, HEIGHT, 4)),
};

const cases: [name: string, family: string, filter: string, Image, Objects][] = [
  ['Separation Black', 'inks', 'FlateDecode', flateImage(grey, ink('Black')), tint(1, '{0 0 0 4 -1 roll}')],
  ['Separation All', 'inks', 'FlateDecode', flateImage(grey, ink('All')), tint(1, '{dup dup dup}')],
  ['Separation Magenta', 'inks', 'FlateDecode', flateImage(grey, ink('Magenta')), tint(1, '{0 exch 0 0}')],
  [
    'Separation Black as JPEG',
    'inks',
    'DCTDecode',
    { ...greyJpeg, dict: greyJpeg.dict.replace('/ColorSpace/DeviceGray', ink('Black')) },
    tint(1, '{0 0 0 4 -1 roll}'),
  ],
  [
    'DeviceN of two inks',
    'inks',
    'FlateDecode',
    flateImage(photograph(WIDTH, HEIGHT, 2), inks('/Cyan/Black')),
    tint(2, '{0 exch 0 exch}'),
  ],
  [
    'DeviceN of three inks',
    'inks',
    'FlateDecode',
    flateImage(photograph(WIDTH, HEIGHT, 3), inks('/Cyan/Magenta/Yellow')),
    tint(3, '{0}'),
  ],
  [
    'DeviceN of four inks in an order of its own',
    'inks',
    'FlateDecode',
    flateImage(photograph(WIDTH, HEIGHT, 4), inks('/Black/Cyan/Magenta/Yellow')),
    tint(4, '{4 -1 roll}'),
  ],
  ['Lab', 'lab', 'FlateDecode', flateImage(photograph(WIDTH, HEIGHT, 3), LAB), {}],
  ['JPEG 2000 in CMYK', 'cmyk', 'DCTDecode', cmykJpx, {}],
];

describe('a CMYK or Lab image in a PDF', () => {
  it.each(cases)('%s is enlarged in its own components', async (name, family, filter, image, more) => {
    const { before, after, dict, alike } = await doubled(scratch(name.replace(/\W+/g, '-')), image, more);
    expect(dict).toMatchObject({ family, filter, bits: 8 });
    expect([after.width, after.height, after.channels]).toEqual([WIDTH * 2, HEIGHT * 2, before.channels]);
    expect(alike).toBeGreaterThan(36);
    expect(psnr(before, halved(after))).toBeGreaterThan(33);
  });

  it.each(cases)('%s keeps its tone', async (name, _family, _filter, image, more) => {
    const bytes = buildPdf(imagePage(image, 24, 18, more));
    const { analysis } = await analyzeBytes(bytes, scratch(`tone ${name}`));
    expect(analysis).toMatchObject({ totalCredits: 0, statistics: { images: 1, colorEligible: 0, resizeEligible: 0 } });
    expect(await enhanceBytes(bytes, scratch(`tone ${name}`), parametersOf())).toMatchObject({ enhanced: 0 });
  });

  it.each(cases)('%s is previewed as on its page', async (name, _family, _filter, image, more) => {
    const inputPath = scratch(`shown ${name.replace(/\W+/g, '-')}.pdf`);
    writeFileSync(inputPath, buildPdf(imagePage(image, WIDTH, HEIGHT, more)));
    const outputPath = scratch('shown.webp');
    await previewPdfImage({ inputPath, outputPath, number: 10, side: null });
    const page = rendered(inputPath, 72);
    if (page === undefined) return;
    const { data } = await readRgb(outputPath);
    const off = [0, 0, 0];
    for (let y = 5; y < HEIGHT; y += 10)
      for (let x = 5; x < WIDTH; x += 10)
        page.at(50 + x, 792 - 50 - HEIGHT + y).forEach((value, c) => {
          off[c]! += Math.abs(value - data[(y * WIDTH + x) * 3 + c]!) / ((WIDTH / 10) * (HEIGHT / 10));
        });
    // poppler mixes inks by a formula, libvips by a profile of a press: they agree on what is light and what is dark.
    expect(Math.max(...off)).toBeLessThan(name === 'Lab' ? 8 : 60);
  });
});

it('a preview of Lab has the colours of sRGB', async () => {
  // White, black, and the red, green and blue of sRGB, adapted to D50 (B. Lindbloom, RGB/XYZ matrices).
  const known = [
    [100, 0, 0, 255, 255, 255],
    [0, 0, 0, 0, 0, 0],
    [54.29, 80.81, 69.89, 255, 0, 0],
    [87.82, -79.29, 80.99, 0, 255, 0],
    [29.57, 68.3, -112.03, 0, 0, 255],
  ] as const;
  const side = 20;
  const data = Buffer.alloc(side * side * known.length * 3);
  for (let at = 0; at < side * side * known.length; at += 1) {
    const [l, a, b] = known[Math.floor((at % (side * known.length)) / side)]!;
    data.set([Math.round(l * 2.55), Math.round(a + 128), Math.round(b + 128)], at * 3);
  }
  const image = flateImage({ data, width: side * known.length, height: side, channels: 3 }, LAB);
  const inputPath = scratch('colours.pdf');
  writeFileSync(inputPath, buildPdf(imagePage(image, 100, 20)));
  const outputPath = scratch('colours.webp');
  await previewPdfImage({ inputPath, outputPath, number: 10, side: null });
  const { data: shown, info } = await sharp(outputPath).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  known.forEach(([, , , ...expected], i) => {
    const at = (10 * info.width + i * side + side / 2) * 3;
    expected.forEach((value, c) => expect(Math.abs(shown[at + c]! - value)).toBeLessThanOrEqual(12));
  });
});
