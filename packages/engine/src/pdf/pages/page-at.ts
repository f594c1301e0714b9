import { walkPages, type Page, type PdfDocument } from '@burnish/pdf';

interface Walk {
  pages: Generator<Page>;
  /** Number of the page that it has reached, from 1 */
  number: number;
  page: Page | undefined;
}

const walks = new WeakMap<PdfDocument, Walk>();

/**
 * The page with a number, from 1; undefined beyond the last one. The walk stops there and goes on with the next call, so pages that
 * are asked for in their order cost one walk together, however many they are.
 * @throws PdfError LIMIT_EXCEEDED
 */
export function pageAt(pdf: PdfDocument, number: number): Page | undefined {
  const last = walks.get(pdf);
  // A walk that ends or fails is not gone on with.
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
