import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { priceOfPdf } from '@burnish/contract';
import type { EnhancementParameters } from '@burnish/contract/engine';
import { isStream, openPdfDocument } from '@burnish/pdf';
import { estimatePdf } from '../../src/pdf/enhance/enhance.ts';
import { drawnPage, lit } from '../support/drawn-page.ts';
import { asSharp, scratchFolder } from '../support/files.ts';
import { buildPdf, type BuiltObject } from '../../../pdf/test/build-pdf.ts';
import { qpdfComplaint } from './judges.ts';
import { describeInWords, enhancePdf, parametersOf } from './support.ts';

const scratch = await scratchFolder();

/** Objects of the images of pages 1 to 3, and of a picture that pages 2 and 3 draw in a corner. */
const [ONE, TWO, THREE, SHARED] = [11, 12, 13, 14];

async function scan(lowest: number): Promise<BuiltObject> {
  const [width, height] = [300, 240];
  const page = lit(await drawnPage('', '#000000'), (u, v) => lowest + 0.2 * u + 0.1 * v);
  const dict = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`;
  return {
    dict,
    data: await asSharp(page).extract({ left: 60, top: 30, width, height }).jpeg({ quality: 85 }).toBuffer(),
  };
}

/** Three scanned pages with a text layer each. */
async function scans(): Promise<Buffer> {
  const page = (contents: number, images: string) =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 400]/Contents ${contents} 0 R/Resources<</XObject<<${images}>>/Font<</F1 9 0 R>>>>>>`;
  const text = 'q 500 0 0 400 0 0 cm /Im Do Q BT /F1 12 Tf 3 Tr 60 300 Td (Words) Tj ET';
  const corner = 'q 100 0 0 80 380 10 cm /Corner Do Q';
  return buildPdf({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3>>',
    3: page(6, `/Im ${ONE} 0 R`),
    4: page(7, `/Im ${TWO} 0 R/Corner ${SHARED} 0 R`),
    5: page(8, `/Im ${THREE} 0 R/Corner ${SHARED} 0 R`),
    6: { dict: '', data: text },
    7: { dict: '', data: `${text} ${corner}` },
    8: { dict: '', data: `${text} ${corner}` },
    9: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    [ONE]: await scan(0.7),
    [TWO]: await scan(0.65),
    [THREE]: await scan(0.6),
    [SHARED]: await scan(0.55),
  });
}

const inputPath = scratch('scans.pdf');
beforeAll(async () => {
  writeFileSync(inputPath, await scans());
});

const ALL = { 14: { color: true } };
const asked = (pages: EnhancementParameters['pages']) => parametersOf({ mode: 'DOCUMENT', images: ALL, pages });

async function enhance(name: string, pages: EnhancementParameters['pages'], paidExcept?: number[][]) {
  const outputPath = scratch(`${name}.pdf`);
  const made = await enhancePdf({
    inputPath,
    outputPath,
    parameters: asked(pages),
    ...(paidExcept && { paidExcept }),
  });
  return { ...made, outputPath };
}

/** Dictionary and data of an object of a file. */
function objectOf(path: string, number: number): string {
  const pdf = openPdfDocument(path);
  try {
    const object = pdf.get(number);
    return isStream(object)
      ? pdf.rawData(object).toString('latin1')
      : JSON.stringify([...(object as Map<string, unknown>)]);
  } finally {
    pdf.close();
  }
}

describe('pages that stay as they are in a cleaned PDF', () => {
  test('have their original images, and the other pages have the same images as without them', async () => {
    const whole = await enhance('whole', undefined);
    expect(whole).toMatchObject({ enhanced: 4, work: { colorOnly: 4 }, notes: [] });
    const kept = await enhance('kept', { 1: 'ORIGINAL' });
    expect(kept).toMatchObject({ enhanced: 3, work: { colorOnly: 3 } });
    expect(kept.notes).toEqual([{ code: 'PAGES_KEPT', pages: { first: [1], count: 1 } }]);
    expect(objectOf(kept.outputPath, ONE)).toBe(objectOf(inputPath, ONE));
    expect(objectOf(whole.outputPath, ONE)).not.toBe(objectOf(inputPath, ONE));
    for (const number of [TWO, THREE, SHARED])
      expect(objectOf(kept.outputPath, number)).toBe(objectOf(whole.outputPath, number));
    for (const number of [6, 7, 8]) expect(objectOf(kept.outputPath, number)).toBe(objectOf(inputPath, number));
    expect(qpdfComplaint(kept.outputPath)).toBe('');
  });

  test('keep a picture that another page draws too', async () => {
    const kept = await enhance('shared', { 3: 'ORIGINAL' });
    expect(kept).toMatchObject({ enhanced: 2, work: { colorOnly: 2 } });
    for (const number of [THREE, SHARED]) expect(objectOf(kept.outputPath, number)).toBe(objectOf(inputPath, number));
    const { images } = await describeInWords({
      inputPath,
      resultPath: kept.outputPath,
      parameters: asked({ 3: 'ORIGINAL' }),
    });
    expect(images.map(({ number, outcome }) => [number, outcome])).toEqual([
      [ONE, 'Cleaned.'],
      [TWO, 'Cleaned.'],
      [SHARED, 'Unchanged: the order keeps its page.'],
      [THREE, 'Unchanged: the order keeps its page.'],
    ]);
  });

  test('give the original byte for byte if they are all pages', async () => {
    const { enhanced, outputPath } = await enhance('none', { 1: 'ORIGINAL', 2: 'ORIGINAL', 3: 'ORIGINAL' });
    expect(enhanced).toBe(0);
    expect(readFileSync(outputPath).equals(readFileSync(inputPath))).toBe(true);
  });

  test.each<[string, EnhancementParameters['pages'], number[][] | undefined, number, number]>([
    ['nothing', { 1: 'ORIGINAL' }, undefined, 3, 0],
    ['all pages', { 1: 'ORIGINAL' }, [[]], 0, 3],
    ['pages 2 and 3', undefined, [[1]], 1, 3],
    ['pages 1 and 2 without the shared picture', undefined, [[3]], 2, 2],
    ['pages 1 and 2, and pages 2 and 3', undefined, [[3], [1]], 0, 4],
  ])('cost nothing again after %s were paid', async (_, pages, paidExcept, credits, paid) => {
    const estimate = await estimatePdf({ inputPath, parameters: asked(pages), ...(paidExcept && { paidExcept }) });
    expect([priceOfPdf(estimate.work), estimate.paid?.colorOnly ?? 0]).toEqual([credits, paid]);
    const made = await enhance('paid', pages, paidExcept);
    expect([priceOfPdf(made.work), made.paid?.colorOnly ?? 0, made.enhanced]).toEqual([credits, paid, credits + paid]);
  });
});
