/** Maximum number of pages of one PDF that are split at their fold: 10 kB of JSON in the record. */
export const MAX_SPLIT_PAGES = 2_000;

/**
 * Returns the pages of a result that show a page of its original, in reading order.
 * @param split pages of the original that are two pages of the result, in order
 * @param page of the original, from 1 as all numbers
 */
export function pagesOfResult(split: readonly number[], page: number): readonly [number, number?] {
  const first = page + split.filter((each) => each < page).length;
  return split.includes(page) ? [first, first + 1] : [first];
}
