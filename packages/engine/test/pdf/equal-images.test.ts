import { expect, it } from '@jest/globals';
import { inspectPdf } from '../../src/pdf/analyze/inspect.ts';
import type { PdfDocument } from '@burnish/pdf';
import { buildPdf, onePage } from '../../../pdf/test/build-pdf.ts';
import { xObject } from './made-pictures.ts';
import { photograph } from './pictures.ts';
import { openBytes } from '../../../pdf/test/open-bytes.ts';

it('images with equal data are decoded once, and one with other data of the same length separately', async () => {
  const [width, height] = [100, 80];
  const raw = (seed: number) =>
    xObject({
      dict: `/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8`,
      data: photograph(width, height, 3, seed).data,
    });
  const draws = [10, 11, 12, 13].map((number, i) => `q 72 0 0 58 ${20 + i * 100} 300 cm /Im${number} Do Q`).join(' ');
  const names = [10, 11, 12, 13].map((number) => `/Im${number} ${number} 0 R`).join('');
  const objects = onePage(draws, `/XObject<<${names}>>`, { 10: raw(1), 11: raw(1), 12: raw(2), 13: raw(1) });
  const pdf = openBytes(buildPdf(objects));
  const decoded: number[] = [];
  const counting: PdfDocument = {
    ...pdf,
    decode(...asked) {
      if (asked[0].number >= 10) decoded.push(asked[0].number);
      return pdf.decode(...asked);
    },
  };
  const { eligible } = await inspectPdf(counting, {});
  expect(eligible.map(({ number }) => number)).toEqual([10, 11, 12, 13]);
  expect(decoded.filter((number) => number !== 12)).toHaveLength(1);
  expect(decoded.filter((number) => number === 12)).toHaveLength(1);
});
