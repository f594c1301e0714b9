import { MAX_NETWORK_PIXELS } from '../../image/enhance-pixels.ts';
import type { ImageWork, PdfPlan } from '../analyze/work.ts';

/** A range of images in a plan for one task: `from` is included, `to` is not. */
export interface ImageSpan {
  from: number;
  to: number;
}

/**
 * Maximum pixels, before and after, for one run. That takes about ten seconds, less than distributing the parts would
 * save. A single image always takes one run, however large it is: the largest takes less than a minute (docs/pdf-figures.md).
 */
export const ONE_GO_PIXELS = 100_000_000;

/** CPU time of a pixel of a page that is cleaned, relative to that of an interpolated one. */
const CLEANING_WEIGHT = 5;

/** CPU time of a pixel that a network may make, relative to that of an interpolated one. */
const NETWORK_WEIGHT = 4;

/** CPU time of a pixel whose text is read, relative to that of an interpolated one. */
const READING_WEIGHT = 5;

/** Pixels, before and after, of a span. It then takes at least some seconds, so that opening the file is negligible. */
const SPAN_PIXELS = 100_000_000;

/** Maximum number of spans of a PDF. The number limits the history of the workflow that distributes them. */
export const MAX_SPANS = 200;

/** Returns whether one run can do all work of a plan. @param mostPixels before and after */
export function isForOneGo(plan: PdfPlan, mostPixels: number): boolean {
  // Text is read by a program of its caller, between the work on two images.
  if (plan.work.some(({ reads }) => reads !== undefined)) return false;
  return plan.work.length <= 1 || countPixels(plan).reduce((sum, each) => sum + each, 0) <= mostPixels;
}

/** Divides the images into spans, in order. Each span has about the same amount of work and at least one image. */
export function splitIntoSpans(plan: PdfPlan): ImageSpan[] {
  const pixels = countPixels(plan);
  const total = pixels.reduce((sum, each) => sum + each, 0);
  const enough = Math.max(SPAN_PIXELS, total / MAX_SPANS);
  const spans: ImageSpan[] = [];
  let [from, done] = [0, 0];
  pixels.forEach((each, index) => {
    done += each;
    // The sum starts at the first image, so that a span is smaller if the one before it is too large.
    if (done < enough * (spans.length + 1) && index < pixels.length - 1) return;
    spans.push({ from, to: index + 1 });
    from = index + 1;
  });
  return spans;
}

/** Returns the cost in time of each image of a plan, as its pixels before and after, with those of networks weighted. */
function countPixels({ facts, work }: PdfPlan): number[] {
  const sources = new Map(
    [...facts.eligible, ...facts.bilevel].map(({ number, width, height }) => [number, width * height]),
  );
  return work.map(({ number, width, height, resize, clean, reads }: ImageWork) => {
    const after = width * height;
    const before = sources.get(number) ?? 0;
    const byNetwork = resize && after <= MAX_NETWORK_PIXELS;
    const weight = clean === undefined ? 1 : CLEANING_WEIGHT;
    const reading = reads === undefined ? 0 : before * READING_WEIGHT;
    return after * (byNetwork ? NETWORK_WEIGHT : 1) + before * weight + reading;
  });
}
