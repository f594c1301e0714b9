import { counted, formatNumber } from '../counted.ts';
import { Failure } from '../failures.ts';

/** Pages of a PDF that stay as they are in the original, by their number from 1. */
export type PageChoices = Readonly<Record<string, 'ORIGINAL'>>;

/** Maximum number of pages in `PageChoices`: 18 kB of JSON. */
export const MAX_PAGE_CHOICES = 1000;

export const keptPages = (choices: PageChoices = {}): number[] => Object.keys(choices).map(Number);

/**
 * Rejects pages that a PDF does not have.
 * @param pages number of pages of the PDF
 * @throws Failure BAD_USER_INPUT that names the page
 */
export function assertPagesExist(choices: PageChoices | undefined, pages: number): void {
  const missing = keptPages(choices).find((page) => page > pages);
  if (missing === undefined) return;
  const detail = `The PDF has ${counted(pages, 'page')}, so it has no page ${formatNumber(missing)}. Remove it from pdf.pages.`;
  throw new Failure('BAD_USER_INPUT', { field: 'pdf.pages', detail });
}
