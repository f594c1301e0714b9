import { describe, expect, it } from '@jest/globals';
import { walkPages, type PdfDocument } from '@burnish/pdf';
import { pageAt } from '../../src/pdf/pages/page-at.ts';
import { buildPdf } from '../../../pdf/test/build-pdf.ts';
import { openBytes } from '../../../pdf/test/open-bytes.ts';

const PAGES = 200;
/** Page `n` is object `2 + n`. */
const objects = Object.fromEntries([
  [1, '<</Type/Catalog/Pages 2 0 R>>'],
  [
    2,
    `<</Type/Pages/Count ${PAGES}/Kids[${Array.from({ length: PAGES }, (_, index) => `${3 + index} 0 R`).join(' ')}]>>`,
  ],
  ...Array.from({ length: PAGES }, (_, index) => [3 + index, '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>']),
]) as Record<number, string>;
const open = (): PdfDocument => openBytes(buildPdf(objects));

/** How often work resolves a value of the document. */
function countReads(work: (pdf: PdfDocument) => void): number {
  const pdf = open();
  const resolve = pdf.resolve.bind(pdf);
  let reads = 0;
  pdf.resolve = (value) => {
    reads += 1;
    return resolve(value);
  };
  work(pdf);
  return reads;
}

describe('the page with a number', () => {
  it('is found before and behind the last one that was asked for', () => {
    const pdf = open();
    const numbers = [5, 5, 7, PAGES, 2, 0, PAGES + 1, 1];
    const found = [7, 7, 9, 202, 4, undefined, undefined, 3];
    expect(numbers.map((number) => pageAt(pdf, number)?.number)).toEqual(found);
  });

  it('costs one walk for all pages in their order', () => {
    const oneWalk = countReads((pdf) => void [...walkPages(pdf)]);
    const each = countReads((pdf) => {
      for (let number = 1; number <= PAGES; number += 1) expect(pageAt(pdf, number)).toBeDefined();
    });
    expect(oneWalk).toBeGreaterThan(PAGES);
    expect(each).toBeLessThanOrEqual(oneWalk);
  });
});
