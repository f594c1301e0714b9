import { existsSync, statSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { drawnPage, lit } from '../support/drawn-page.ts';
import { asSharp, scratchFolder } from '../support/files.ts';
import { buildPdf, onePage } from '../../../pdf/test/build-pdf.ts';
import { qpdfComplaint } from './judges.ts';
import { photograph } from './pictures.ts';
import { enhanceBytes, parametersOf, type Enhanced } from './support.ts';

const scratch = await scratchFolder();
const sizeOf = (path: string): number => statSync(path).size;

/** A page of 300 × 240 points that one scan in colour fills: lines of text above a photograph. */
async function scan(): Promise<Buffer> {
  const page = lit(await drawnPage(), (u, v) => 0.95 - 0.2 * u - 0.1 * v);
  const soft = photograph(page.width, 130);
  page.data.set(soft.data, 345 * page.width * 3);
  const data = await asSharp(page).jpeg({ quality: 92 }).toBuffer();
  const shape = `/Width ${page.width}/Height ${page.height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`;
  return buildPdf(
    onePage('q 300 0 0 240 0 0 cm /Im0 Do Q', '', {
      3: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 240]/Contents 4 0 R/Resources<</XObject<</Im0 10 0 R>>>>>>',
      10: { dict: `/Type/XObject/Subtype/Image${shape}`, data },
    }),
  );
}

const enhanceWithin = async (name: string, maxBytes?: number): Promise<Enhanced> =>
  enhanceBytes(source, scratch(name), parametersOf({ mode: 'DOCUMENT', maxBytes }));

let source: Buffer;
let usual: Enhanced;
beforeAll(async () => {
  source = await scan();
  usual = await enhanceWithin('usual');
});

describe('The parameter maxBytes of a PDF', () => {
  test('gives a scan the largest quality with which the file fits', async () => {
    const maxBytes = Math.floor(0.6 * sizeOf(usual.outputPath));
    const fitted = await enhanceWithin('fitted', maxBytes);
    expect(sizeOf(fitted.outputPath)).toBeLessThanOrEqual(maxBytes);
    expect(sizeOf(fitted.outputPath)).toBeGreaterThan(0.6 * maxBytes);
    expect(fitted).toMatchObject({ enhanced: 1, work: usual.work });
    const images = { first: [10], count: 1 };
    expect(fitted.notes).toContainEqual({
      code: 'QUALITIES_FITTED',
      images,
      mostBytes: maxBytes,
      quality: expect.any(Number),
    });
    expect(qpdfComplaint(fitted.outputPath)).toBe('');
  });

  test('leaves a file that fits as it would be', async () => {
    const fitted = await enhanceWithin('fits', 10_000_000);
    expect(sizeOf(fitted.outputPath)).toBe(sizeOf(usual.outputPath));
    expect(fitted.notes).toEqual(usual.notes);
  });

  test('refuses a file that cannot fit, and leaves none', async () => {
    await expect(enhanceWithin('tiny', 1000)).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
      field: 'maxBytes',
      message: expect.stringMatching(/^The result has [\d,]+ bytes, and maxBytes is 1,000: /u),
    });
    expect([existsSync(scratch('tiny.out.pdf')), existsSync(scratch('tiny.out.pdf.part'))]).toEqual([false, false]);
  });
});
