import { describe, expect, it } from '@jest/globals';
import { openPdfDocument } from '@burnish/pdf';
import { readImageFacts } from '../../src/pdf/images/image-facts.ts';
import { decodeMask, readMaskFacts } from '../../src/pdf/images/mask.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage } from '../../../pdf/test/build-pdf.ts';
import { jpx, withAlpha } from './encoders.ts';
import { qpdfComplaint, rendered } from './judges.ts';
import { disc } from './made-pictures.ts';
import { photograph, type Samples } from './pictures.ts';
import { DOUBLED, enhanceBytes, parametersOf, samplesOf } from './support.ts';

const scratch = await scratchFolder();
const [WIDTH, HEIGHT] = [240, 180];
const mask = disc(WIDTH, HEIGHT);

/** A dull photograph, whose colours may be multiplied with its opacity. */
function dull(channels: number, premultiplied: boolean): Samples {
  const photo = photograph(WIDTH, HEIGHT, channels);
  const data = photo.data.map((value, i) => {
    const faded = 90 + value / 8;
    return premultiplied ? (faded * mask.data[Math.floor(i / channels)]!) / 255 : faded;
  });
  return { ...photo, data: Buffer.from(data) };
}

async function filed(channels: number, kind: 1 | 2, points: number): Promise<Buffer> {
  const space = channels === 1 ? 'DeviceGray' : 'DeviceRGB';
  const image = {
    dict: `/Width ${WIDTH}/Height ${HEIGHT}/ColorSpace/${space}/Filter/JPXDecode/SMaskInData ${kind}`,
    data: await jpx(withAlpha(dull(channels, kind === 2), mask)),
  };
  return buildPdf(imagePage(image, points, (points * HEIGHT) / WIDTH));
}

/** The opacity of the image and the entry that says where it was. */
async function opacityIn(path: string) {
  const pdf = openPdfDocument(path);
  try {
    const image = readImageFacts(pdf, 10)!;
    const facts = readMaskFacts(pdf, image)!;
    return { ...(await decodeMask(pdf, facts)), inData: image.stream.dict.get('SMaskInData') ?? 0 };
  } finally {
    pdf.close();
  }
}

describe('a JPEG 2000 image with opacity channels', () => {
  it.each([
    ['RGB, straight', 3, 1],
    ['RGB, multiplied', 3, 2],
  ] as const)('%s: is enlarged with its opacity, which becomes a soft mask', async (name, channels, kind) => {
    const result = await enhanceBytes(await filed(channels, kind, WIDTH), scratch(`large ${name}`), DOUBLED);
    expect(result).toMatchObject({ enhanced: 1, work: { resizeOnly: 1 } });
    const opacity = await opacityIn(result.outputPath);
    expect(opacity).toMatchObject({ width: 2 * WIDTH, height: 2 * HEIGHT, inData: 0 });
    expect(qpdfComplaint(result.outputPath)).toBe('');
  });

  it.each([
    ['RGB, straight', 3, 1],
    ['RGB, multiplied', 3, 2],
  ] as const)('%s: gets a tone from its visible pixels and keeps its opacity', async (name, channels, kind) => {
    const result = await enhanceBytes(await filed(channels, kind, 24), scratch(`tone ${name}`), parametersOf());
    expect(result).toMatchObject({ enhanced: 1, work: { colorOnly: 1, resizeOnly: 0, both: 0 } });
    const opacity = await opacityIn(result.outputPath);
    expect(opacity).toMatchObject({ width: WIDTH, height: HEIGHT, inData: 0 });
    expect(Buffer.from(opacity.data).equals(mask.data)).toBe(true);
    const { data } = await samplesOf(result.outputPath);
    const seen = [...data].filter((_, i) => mask.data[Math.floor(i / channels)] === 255).sort((a, b) => a - b);
    // The dull samples span 32 of 255.
    expect(seen[Math.floor(seen.length * 0.95)]! - seen[Math.floor(seen.length * 0.05)]!).toBeGreaterThan(48);
    const page = rendered(result.outputPath, 144);
    if (page) expect(page.at(51, 792 - 51)).toEqual([255, 255, 255]);
  });
});
