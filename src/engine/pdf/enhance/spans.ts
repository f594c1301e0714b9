import type { PdfPlan } from '../analyze/plan.ts';
import type { ImageWork } from '../analyze/work.ts';

/** Images of a plan that are enhanced in one piece of work: from the first to the one that no longer belongs to it. */
export interface ImageSpan {
  from: number;
  to: number;
}

/**
 * Work up to so many pixels, before and after it, is done in one go: some ten seconds, less than what handing out its
 * parts would be worth. So is a single image, however large.
 */
export const ONE_GO_PIXELS = 100_000_000;

/** Pixels, before and after, that make a span of at least some seconds, so that opening the file for it does not count. */
const SPAN_PIXELS = 100_000_000;

/** Most spans of a PDF. The number bounds the history of the workflow that hands them out. */
const MAX_SPANS = 200;

/** Whether a plan's work is little enough to be done in one go. @param mostPixels before and after */
export function isForOneGo(plan: PdfPlan, mostPixels: number): boolean {
  return plan.work.length <= 1 || pixelsOf(plan).reduce((sum, each) => sum + each, 0) <= mostPixels;
}

/** Shares the images out, in their order: each span has about the same work, and one image at least. */
export function spansOf(plan: PdfPlan): ImageSpan[] {
  const pixels = pixelsOf(plan);
  const total = pixels.reduce((sum, each) => sum + each, 0);
  const enough = Math.max(SPAN_PIXELS, total / MAX_SPANS);
  const spans: ImageSpan[] = [];
  let [from, done] = [0, 0];
  pixels.forEach((each, index) => {
    done += each;
    // Measured from the beginning, so that what one span has too much the next one has too little.
    if (done < enough * (spans.length + 1) && index < pixels.length - 1) return;
    spans.push({ from, to: index + 1 });
    from = index + 1;
  });
  return spans;
}

/** What each image of a plan costs in time, by its pixels before and after. */
function pixelsOf({ facts, work }: PdfPlan): number[] {
  const sources = new Map(
    [...facts.eligible, ...facts.bilevel].map(({ number, width, height }) => [number, width * height]),
  );
  return work.map(({ number, width, height }: ImageWork) => width * height + (sources.get(number) ?? 0));
}
