import { deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { priceOfPdf } from '../../../../src/domain/enhancement/prices.ts';
import type { EnhancementParameters } from '../../src/contract/parameters.ts';
import type { Picture } from '../../src/image/picture.ts';
import { estimatePdf } from '../../src/pdf/enhance/enhance.ts';
import { gainsByEnlarging } from '../../src/pdf/images/bilevel-text.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf } from '../../../pdf/test/build-pdf.ts';
import { packed } from './encoders.ts';
import { analyzeBytes, describeInWords, enhanceBytes, parametersOf } from './support.ts';

const scratch = await scratchFolder();
const SMOOTH: EnhancementParameters = {
  customColorConfig: { auto: false },
  targetResolution: 600,
  maxGrowth: 1000,
  bilevel: 'SMOOTH',
};

type Shape = (x: number, y: number) => boolean;
/** Marks like letters: boxes of 5 pixels by their height in lines. */
const lettersOf =
  (height: number): Shape =>
  (x, y) =>
    x % 9 > 3 && y % (2 * height) >= height;
const letters = lettersOf(13);
const disc: Shape = (x, y) => Math.hypot(x - 50, y - 50) < 40;

function bitmap(width: number, height: number, isBlack: Shape): Picture {
  const data = Uint8Array.from({ length: width * height }, (_, at) =>
    isBlack(at % width, Math.floor(at / width)) ? 0 : 255,
  );
  return { data, width, height, channels: 1, space: 'grey', hasAlpha: false };
}

/** A page of one inch with a one-bit image in its corner. @param inches side of the image, 1 for the whole page */
function pageWith(isBlack: Shape, dpi: number, inches: number): Buffer {
  const side = Math.round(dpi * inches);
  const bits = packed({ ...bitmap(side, side, isBlack), data: Buffer.from(bitmap(side, side, isBlack).data) }, 1);
  const points = 72 * inches;
  return buildPdf({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    3: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Contents 4 0 R/Resources<</XObject<</Im 10 0 R>>>>>>',
    4: { dict: '', data: `q ${points} 0 0 ${points} 0 0 cm /Im Do Q` },
    10: {
      dict: `/Type/XObject/Subtype/Image/Width ${side}/Height ${side}/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/FlateDecode`,
      data: deflateSync(bits),
    },
  });
}

async function order(bytes: Buffer, more: EnhancementParameters = {}) {
  const parameters = parametersOf({ ...SMOOTH, ...more });
  const { facts } = await analyzeBytes(bytes, scratch('analysis'));
  const credits = priceOfPdf((await estimatePdf({ facts, parameters })).work);
  const made = await enhanceBytes(bytes, scratch('made'), parameters);
  const { inputPath, outputPath: resultPath } = made;
  const [planned, done] = [
    await describeInWords({ inputPath, parameters }),
    await describeInWords({ inputPath, resultPath, parameters }),
  ];
  return { ...made, credits, planned: planned.images[0]!, done: done.images[0]!, shortfall: planned.shortfall };
}

const NOTHING = { colorOnly: 0, resizeOnly: 0, both: 0 };
const KEPT = { enhanced: 0, skipped: [{ reason: 'letters', count: 1 }], work: { resizeOnly: 0 } };
const ENLARGED = { credits: 4, enhanced: 1, skipped: [], work: { resizeOnly: 1 } };
const NOTE = { code: 'LETTERS_KEPT', images: 1 };

describe('a one-bit scan below 300 DPI', () => {
  it('that fills a page is left alone at no charge, before and after, with its reason', async () => {
    const made = await order(pageWith(letters, 200, 1));
    expect(made).toMatchObject({ ...KEPT, credits: 0, notes: [NOTE] });
    const outcome = 'Unchanged: letters of this size read no better in one bit once enlarged.';
    expect([made.planned, made.done]).toMatchObject([
      { outcome, work: NOTHING },
      { outcome, work: NOTHING },
    ]);
  });

  it('does not count as an image below its target', async () => {
    const made = await order(pageWith(letters, 100, 1));
    expect([made.shortfall, made.notes]).toEqual([null, [NOTE]]);
  });

  it('is told from one of 300 DPI, also where the page is a little larger than its paper', async () => {
    expect(await order(pageWith(letters, 300, 1))).toMatchObject(ENLARGED);
    expect(await order(pageWith(letters, 292, 1))).toMatchObject(ENLARGED);
    expect(await order(pageWith(letters, 290, 1))).toMatchObject(KEPT);
  });

  it('keeps the reason of its kind where the order would not enlarge it', async () => {
    const fine = await order(pageWith(letters, 200, 1), { targetResolution: 200 });
    expect(fine).toMatchObject({ skipped: [{ reason: 'one-bit', count: 1 }] });
    expect(fine.planned.outcome).toContain('200 DPI are enough');
    const page = await order(pageWith(letters, 200, 1), { pages: { 1: 'ORIGINAL' } });
    expect(page).toMatchObject({ skipped: [{ reason: 'one-bit', count: 1 }] });
    expect(page.planned.outcome).toBe('Unchanged: the order keeps its page.');
  });
});

describe('letters of one bit', () => {
  it.each([
    [12, 300, 1],
    [15, 300, 1],
    [24, 400, 1],
    [9, 200, 0.8],
    [15, 200, 0.8],
  ])('of %i pixels stay at no charge, at %i DPI on %d of a page', async (height, dpi, inches) => {
    const made = await order(pageWith(lettersOf(height), dpi, inches));
    expect(made).toMatchObject({ ...KEPT, credits: 4, notes: [NOTE] });
    expect(made.done).toMatchObject({
      outcome:
        'Kept: letters of this size read no better in one bit once enlarged, or the PDF would grow beyond its limit. See the notes.',
      work: NOTHING,
    });
  });

  it.each([
    [14, 300, 1],
    [13, 200, 0.8],
  ])('of %i pixels are enlarged, at %i DPI on %d of a page', async (height, dpi, inches) => {
    expect(await order(pageWith(lettersOf(height), dpi, inches))).toMatchObject({ ...ENLARGED, notes: [] });
  });

  it('are measured in white on black too', async () => {
    const white = (height: number) => order(pageWith((x, y) => !lettersOf(height)(x, y), 300, 1));
    expect(await white(15)).toMatchObject(KEPT);
    expect(await white(13)).toMatchObject(ENLARGED);
  });

  it('are no drawing, which is enlarged at any resolution on a part of a page', async () => {
    const made = await order(pageWith(disc, 200, 0.8));
    expect(made).toMatchObject({ ...ENLARGED, notes: [] });
    expect(made.done).toMatchObject({ outcome: 'Enlarged.', after: { width: 480 } });
  });
});

it('letters are looked for in the middle of a picture above 16 megapixels', () => {
  const [width, height] = [4000, 5000];
  const text = bitmap(900, 300, lettersOf(15));
  const from = (top: number): boolean => {
    const data = new Uint8Array(width * height).fill(255);
    for (let y = 0; y < 300; y += 1) data.set(text.data.subarray(900 * y, 900 * (y + 1)), (top + y) * width);
    return gainsByEnlarging({ ...text, data, width, height });
  };
  expect([from(0), from(2400)]).toEqual([true, false]);
});
