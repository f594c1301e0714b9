import type { PdfPlan } from '../analyze/work.ts';

/**
 * Default limit: a multiple of the size of a file, and a smaller one of its first `smallFile` bytes unless the order asks for
 * a JPEG quality. Every file may grow by some bytes, since a multiple of almost nothing leaves no room for a logo.
 */
const USUAL_GROWTH = { times: 6, smallFile: 100_000, smallTimes: 3, least: 20_000 };

/** Returns the maximum size of the result of a plan, bytes. */
export function mostBytes({ facts, parameters }: Pick<PdfPlan, 'facts' | 'parameters'>): number {
  const { fileBytes } = facts;
  const { maxGrowth, pdfQuality } = parameters;
  if (maxGrowth !== undefined) return Math.floor(fileBytes * maxGrowth);
  const { times, smallFile, smallTimes, least } = USUAL_GROWTH;
  const first = pdfQuality === undefined ? Math.min(fileBytes, smallFile) : 0;
  return Math.max(fileBytes + least, first * smallTimes + (fileBytes - first) * times);
}

/** Bytes of a picture's new objects, and of the data that they replace in the file. */
export interface NewBytes {
  bytes: number;
  replaced: number;
}

/**
 * Divides the growth that a file may have among its pictures, by the expected bytes of each. Pictures that stay within
 * their shares keep the file within its limit, regardless of the order and of the worker that makes them.
 * @returns bytes for each picture, in the order of the plan
 */
export function shareGrowth(plan: Pick<PdfPlan, 'facts' | 'parameters'>, expected: readonly NewBytes[]): number[] {
  const total = expected.reduce((sum, { bytes }) => sum + bytes, 0);
  const replaced = expected.reduce((sum, each) => sum + each.replaced, 0);
  const room = Math.max(0, mostBytes(plan) - plan.facts.fileBytes + replaced);
  return expected.map(({ bytes }) => Math.floor((room * bytes) / Math.max(1, total)));
}
