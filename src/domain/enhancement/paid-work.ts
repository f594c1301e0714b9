import {
  chosenPages,
  MAX_PAGE_CHOICES,
  resolvePdfParameters,
  type EnhancementParameters,
  type PageChoices,
} from '@burnish/contract';

/** Work on a PDF that earlier enhancements of the same file have paid, with parameters that differ in `pages` alone. */
export interface PaidWork {
  /** The earlier enhancement that has paid most of it */
  basedOn: string;
  /** The pages that each of them left as they are, or out. An image is paid if one of them enhanced all of its pages. */
  paidExcept: number[][];
}

/** Maximum number of earlier enhancements that decide a price. */
export const MAX_EARLIER = 20;
/** Pages in `paidExcept`, so that the input of an activity stays far below its limit. */
const MAX_KEPT = 2 * MAX_PAGE_CHOICES;

/**
 * Chooses the earlier enhancements that decide which images are paid: those that leave fewer pages. Another that leaves the same
 * pages and more has paid nothing else.
 * @param earlier enhancements with the same parameters but `pages`, newest first
 * @returns undefined when there are none
 */
export function choosePaidWork(
  own: PageChoices | undefined,
  earlier: readonly { id: string; pages: PageChoices | undefined }[],
): PaidWork | undefined {
  const chosen: { id: string; pages: ReadonlySet<number> }[] = [];
  let total = 0;
  const bySize = earlier.map(({ id, pages }) => ({ id, pages: new Set(chosenPages(pages)) }));
  for (const each of bySize.sort((one, two) => one.pages.size - two.pages.size)) {
    if (chosen.length >= MAX_EARLIER || total + each.pages.size > MAX_KEPT) break;
    if (chosen.some(({ pages }) => [...pages].every((page) => each.pages.has(page)))) continue;
    chosen.push(each);
    total += each.pages.size;
  }
  const ownPages = new Set(chosenPages(own));
  const unpaid = chosen.map(({ pages }) => [...pages].filter((page) => !ownPages.has(page)).length);
  const nearest = chosen[unpaid.indexOf(Math.min(...unpaid))];
  return nearest && { basedOn: nearest.id, paidExcept: chosen.map(({ pages }) => [...pages]) };
}

/** Whether two orders for a PDF are equal in everything but `pages`. @param maxResolution as in `resolvePdfParameters` */
export function differInPagesAtMost(
  one: EnhancementParameters,
  two: EnhancementParameters,
  maxResolution: number,
): boolean {
  const [first, second] = [one, two].map((given) =>
    JSON.stringify(resolvePdfParameters({ ...given, pages: undefined }, maxResolution)),
  );
  return first === second;
}
