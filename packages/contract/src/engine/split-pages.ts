/** Maximum number of pages of one PDF that are split at their fold: 10 kB of JSON in the record. */
export const MAX_SPLIT_PAGES = 2_000;

/** Pages of an original that are not one page of its result each, by their numbers from 1. */
export interface MovedPages {
  /** Pages that are two pages of the result */
  split?: readonly number[];
  /** Pages that the result lacks */
  dropped?: readonly number[];
}

/**
 * Returns the pages of a result that show a page of its original, in reading order; none for a dropped page.
 * @param page of the original, from 1 as all numbers
 */
export function pagesOfResult({ split = [], dropped = [] }: MovedPages, page: number): readonly [number?, number?] {
  if (dropped.includes(page)) return [];
  const before = (pages: readonly number[]): number => pages.filter((each) => each < page).length;
  const first = page + before(split) - before(dropped);
  return split.includes(page) ? [first, first + 1] : [first];
}
