import type { PdfPlan } from '../analyze/work.ts';

/** Default limit: a multiple of the size of a file, and bytes beyond it, since a multiple of almost nothing leaves no room for a logo. */
const USUAL_GROWTH = { times: 6, least: 200_000 };

/** Returns the maximum size of the result of a plan, bytes. */
export function mostBytes({ facts, parameters: { maxGrowth } }: Pick<PdfPlan, 'facts' | 'parameters'>): number {
  const { fileBytes } = facts;
  if (maxGrowth !== undefined) return Math.floor(fileBytes * maxGrowth);
  return Math.max(fileBytes + USUAL_GROWTH.least, fileBytes * USUAL_GROWTH.times);
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
