import { walkPages, type Page, type PdfDocument } from '@burnish/pdf';

interface Walk {
  pages: Generator<Page>;
  /** Number of the page that it has reached, from 1 */
  number: number;
  page: Page | undefined;
}

const walks = new WeakMap<PdfDocument, Walk>();

/**
 * Returns the page of a number. Calls in the order of the pages share one walk of the page tree.
 * @param number from 1
 * @returns undefined beyond the last page
 * @throws PdfError LIMIT_EXCEEDED
 */
export function pageAt(pdf: PdfDocument, number: number): Page | undefined {
  const last = walks.get(pdf);
  // A walk that has ended or failed finds no further page.
  walks.delete(pdf);
  const walk =
    last !== undefined && last.number <= number ? last : { pages: walkPages(pdf), number: 0, page: undefined };
  for (; walk.number < number; walk.number += 1) {
    const { done, value } = walk.pages.next();
    if (done) return undefined;
    walk.page = value;
  }
  walks.set(pdf, walk);
  return walk.page;
}
