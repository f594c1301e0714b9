import { describe, expect, it } from '@jest/globals';
import { readJpxHeader } from '../../src/pdf/images/jpx-header.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage, onePage, type BuiltObject, type Objects } from '../../../pdf/test/build-pdf.ts';
import { jpx } from './encoders.ts';
import { bars, flateImage, jpegImage, logo, photograph, scan, shadedBars, type Samples } from './pictures.ts';
import { analyzeBytes, enhanceBytes, parametersOf } from './support.ts';

const scratch = await scratchFolder();

async function colorEligible(name: string, image: { dict: string; data: Buffer }): Promise<boolean> {
  const { analysis } = await analyzeBytes(buildPdf(imagePage(image, 24, 24)), scratch(name.replace(/\W+/g, '-')));
  return analysis.statistics.colorEligible === 1;
}

describe('eligibility for colour', () => {
  const grain = (samples: Samples): Samples => ({
    ...samples,
    data: Buffer.from(samples.data.map((value, i) => value - ((i * 2654435761) >>> 29))),
  });
  const faded: Samples = {
    ...photograph(400, 300),
    data: Buffer.from(photograph(400, 300).data.map((value) => 100 + value / 5)),
  };
  const oneChannel = photograph(400, 300, 1).data;
  const greyInRgb: Samples = {
    ...photograph(400, 300),
    data: Buffer.from([...oneChannel].flatMap((value) => [value, value, value])),
  };
  const onWhite = photograph(400, 300);
  onWhite.data.forEach((_, i) => {
    const [x, y] = [Math.floor(i / 3) % 400, Math.floor(i / 1200)];
    if (Math.abs(x - 200) > 130 || Math.abs(y - 150) > 100) onWhite.data[i] = 255;
  });

  it.each<[string, Samples, boolean]>([
    ['a photograph', photograph(400, 300), true],
    ['a grey photograph', photograph(400, 300, 1), true],
    ['a faded photograph', faded, true],
    ['a thing on an even white ground', onWhite, false],
    ['a logo', logo(400, 300), false],
    ['a chart of many colours', bars(600, 400), false],
    ['a chart of shaded bars', shadedBars(800, 500), false],
    ['a scan of text', scan(620, 877), false],
    ['a grey scan of text', scan(620, 877, 1), false],
    ['a large scan of text', scan(1654, 2339), false],
    ['one colour', { data: Buffer.alloc(400 * 300 * 3, 99), width: 400, height: 300, channels: 3 }, false],
    [
      'blank paper with grain',
      grain({ data: Buffer.alloc(400 * 300 * 3, 250), width: 400, height: 300, channels: 3 }),
      false,
    ],
    ['a grey photograph in RGB', greyInRgb, true],
    ['a photograph of 63 pixels', photograph(63, 300), false],
  ])('%s, as Flate and as JPEG', async (name, samples, expected) => {
    expect(await colorEligible(`flate ${name}`, flateImage(samples))).toBe(expected);
    expect(await colorEligible(`jpeg ${name}`, await jpegImage(samples, 85))).toBe(expected);
  });
});

it('a photograph as JPEG 2000 is judged by one of its smaller resolution levels', async () => {
  const samples = photograph(1100, 700);
  const image = { dict: '/Width 1100/Height 700/ColorSpace/DeviceRGB/Filter/JPXDecode', data: await jpx(samples) };
  expect(readJpxHeader(image.data)).toMatchObject({ width: 1100, height: 700, components: 3, precision: 8, levels: 5 });
  expect(await colorEligible('jpx', image)).toBe(true);
});

const size = (width: number, height = width): string => `/Width ${width}/Height ${height}`;
const NO_DATA = Buffer.alloc(3000);
const jpeg = await jpegImage(photograph(100, 100));
const flatJpeg = await jpegImage({ data: Buffer.alloc(30_000, 40), width: 100, height: 100, channels: 3 });
const greyJpeg = await jpegImage(photograph(100, 100, 1));

/** A JPEG whose frame says that it has another coding or precision. */
function withFrame(data: Buffer, { marker, precision }: { marker: number; precision: number }): Buffer {
  const changed = Buffer.from(data);
  const at = [0xc0, 0xc2].map((each) => changed.indexOf(Buffer.from([0xff, each, 0]))).find((found) => found >= 0)!;
  changed[at + 1] = marker;
  changed[at + 4] = precision;
  return changed;
}

/** A picture whose samples repeat in blocks. */
function repeated(blocks: Samples, side: number): ReturnType<typeof flateImage> {
  const [width, height] = [blocks.width * side, blocks.height * side];
  const data = Buffer.alloc(width * height * 3);
  for (let i = 0; i < width * height; i += 1) {
    const from = Math.floor(i / width / side) * blocks.width + Math.floor((i % width) / side);
    for (let c = 0; c < 3; c += 1) data[i * 3 + c] = blocks.data[from * 3 + c]!;
  }
  return flateImage({ data, width, height, channels: 3 });
}

const checkerboard = (side: number): ReturnType<typeof flateImage> => {
  const data = Buffer.alloc(30 * 30 * 3, 20);
  for (let i = 0; i < 900; i += 1) if ((i + Math.floor(i / 30)) % 2 === 0) data.fill(200, i * 3, i * 3 + 3);
  return repeated({ data, width: 30, height: 30, channels: 3 }, side);
};

it('a photograph with repeated pixels is no image of blocks', async () => {
  const { analysis } = await analyzeBytes(
    buildPdf(imagePage(repeated(photograph(60, 45), 2), 120, 90)),
    scratch('twice'),
  );
  expect(analysis.statistics.resizeEligible).toBe(1);
});

describe('ineligible images of a PDF are counted with their reason', () => {
  const sampled = flateImage(photograph(100, 100));
  const mask: Objects = {
    11: {
      dict: `/Type/XObject/Subtype/Image${size(100)}/ColorSpace/DeviceGray/BitsPerComponent 8`,
      data: Buffer.alloc(10_000),
    },
  };
  /** A picture of one channel whose colours a profile tells. */
  const scanned = flateImage(photograph(100, 100, 1), '/ColorSpace[/ICCBased 13 0 R]');
  /** The header of a profile and one tag, without its data. */
  function profile(kind: string, tag: string): BuiltObject {
    const data = Buffer.alloc(400);
    data.write(kind, 12, 'latin1');
    data.write('GRAY', 16, 'latin1');
    data.writeUInt32BE(1, 128);
    data.write(tag, 132, 'latin1');
    return { dict: '/N 1', data };
  }
  it.each<[string, { dict: string; data: Buffer | string }, Objects]>([
    ['stencil-mask', { dict: `${size(100)}/ImageMask true/BitsPerComponent 1`, data: NO_DATA }, {}],
    ['one-bit', { dict: `${size(100)}/ColorSpace/DeviceGray/BitsPerComponent 1`, data: NO_DATA }, {}],
    ['jbig2', { dict: `${size(100)}/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/JBIG2Decode`, data: NO_DATA }, {}],
    [
      'ccitt',
      { dict: `${size(100)}/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/CCITTFaxDecode`, data: NO_DATA },
      {},
    ],
    ['tiny', flateImage(photograph(100, 15)), {}],
    [
      'separation',
      {
        dict: `${size(100)}/ColorSpace[/Separation/Gold/DeviceCMYK 12 0 R]/BitsPerComponent 8`,
        data: Buffer.alloc(10_000),
      },
      {},
    ],
    [
      'devicen',
      {
        dict: `${size(100)}/ColorSpace[/DeviceN[/A/B]/DeviceCMYK 12 0 R]/BitsPerComponent 8`,
        data: Buffer.alloc(20_000),
      },
      {},
    ],
    ['color-key-mask', { ...sampled, dict: `${sampled.dict}/Mask[0 1 0 1 0 1]` }, {}],
    ['invisible', { ...sampled, dict: `${sampled.dict}/SMask 11 0 R` }, mask],
    ['single-color', flateImage({ data: Buffer.alloc(30_000, 40), width: 100, height: 100, channels: 3 }), {}],
    ['single-color', flatJpeg, {}],
    ['blocks', checkerboard(4), {}],
    ['blocks', checkerboard(3), {}],
    [
      'unknown-encoding',
      { dict: `${size(100)}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/MyDecode`, data: NO_DATA },
      {},
    ],
    ['unknown-encoding', { ...jpeg, data: withFrame(jpeg.data, { marker: 0xc1, precision: 12 }) }, {}],
    ['unknown-encoding', { ...jpeg, data: withFrame(jpeg.data, { marker: 0xc3, precision: 8 }) }, {}],
    ['unknown-color-space', { dict: `${size(100)}/ColorSpace/MySpace/BitsPerComponent 8`, data: NO_DATA }, {}],
    [
      'unknown-color-space',
      {
        dict: `${size(100)}/ColorSpace[/Indexed/DeviceRGB 1<000000ffffff>]/BitsPerComponent 8/Decode[255 0]`,
        data: Buffer.alloc(10_000),
      },
      {},
    ],
    ['unknown-color-space', { ...jpeg, dict: `${jpeg.dict}/DecodeParms<</ColorTransform 0>>` }, {}],
    ['unknown-color-space', { ...jpeg, dict: jpeg.dict.replace('DeviceRGB', 'DeviceCMYK') }, {}],
    [
      'unknown-color-space',
      { ...greyJpeg, dict: greyJpeg.dict.replace('/DeviceGray', `[/Indexed/DeviceRGB 255<${'00ff80'.repeat(256)}>]`) },
      {},
    ],
    ['color-table', scanned, { 13: profile('scnr', 'A2B0') }],
    ['damaged', { ...jpeg, data: jpeg.data.subarray(0, jpeg.data.length / 2) }, {}],
    [
      'damaged',
      { dict: `${size(100)}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`, data: Buffer.from('no JPEG') },
      {},
    ],
    [
      'damaged',
      {
        dict: `${size(100)}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode`,
        data: Buffer.from('not deflated'),
      },
      {},
    ],
    ['too-large', { dict: `${size(60_000, 60_000)}/ColorSpace/DeviceRGB/BitsPerComponent 8`, data: NO_DATA }, {}],
  ])('%s', async (reason, image, more) => {
    const bytes = buildPdf(imagePage(image, 1000, 1000, more));
    const { analysis, facts } = await analyzeBytes(bytes, scratch('left'));
    expect(analysis).toMatchObject({ totalCredits: 0, statistics: { images: 1, colorEligible: 0, resizeEligible: 0 } });
    expect(facts.leftAlone).toEqual([{ reason, count: 1 }]);
    const result = await enhanceBytes(bytes, scratch('left'), parametersOf());
    expect(result).toMatchObject({
      enhanced: 0,
      skipped: [{ reason, count: 1 }],
      work: { colorOnly: 0, resizeOnly: 0, both: 0 },
    });
  });

  it.each([
    ['a scanner with a curve alone', 'scnr', 'kTRC'],
    ['a printer', 'prtr', 'A2B0'],
  ])('except an image of one channel with the profile of %s', async (_, kind, tag) => {
    const bytes = buildPdf(imagePage(scanned, 1000, 1000, { 13: profile(kind, tag) }));
    const { facts } = await analyzeBytes(bytes, scratch('profile'));
    expect([facts.eligible.length, facts.leftAlone]).toEqual([1, []]);
  });

  it('inline images', async () => {
    const { analysis, facts } = await analyzeBytes(
      buildPdf(onePage('BI /W 2 /H 1 /CS /G /BPC 8 ID ab EI', '')),
      scratch('inline'),
    );
    expect(analysis.statistics.images).toBe(1);
    expect(facts.leftAlone).toEqual([{ reason: 'inline', count: 1 }]);
  });

  it('unless no page draws them', async () => {
    const { analysis } = await analyzeBytes(
      buildPdf(
        onePage('', '/XObject<</Im0 10 0 R>>', {
          10: { dict: `/Type/XObject/Subtype/Image ${sampled.dict}`, data: sampled.data },
        }),
      ),
      scratch('unused'),
    );
    expect(analysis.statistics.images).toBe(0);
  });
});
