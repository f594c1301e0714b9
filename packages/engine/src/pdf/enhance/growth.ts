import type { PdfPlan } from '../analyze/work.ts';

/** Default limit: a multiple of the size of a file, and bytes beyond it, since a multiple of almost nothing leaves no room for a logo. */
const USUAL_GROWTH = { times: 6, least: 200_000 };

type Sized = Pick<PdfPlan, 'facts' | 'parameters'>;

/** Returns the maximum size of the result of a plan, bytes. */
export const mostBytes = (plan: Sized): number => Math.min(plan.parameters.maxBytes ?? Infinity, mostGrown(plan));

/** The maximum size by the growth of the file. */
function mostGrown({ facts: { fileBytes }, parameters: { maxGrowth } }: Sized): number {
  if (maxGrowth !== undefined) return Math.floor(fileBytes * maxGrowth);
  return Math.max(fileBytes + USUAL_GROWTH.least, fileBytes * USUAL_GROWTH.times);
}

/** Bytes of a picture's new objects, and of the data that they replace in the file. */
export interface NewBytes {
  bytes: number;
  replaced: number;
}

/** The shares of pictures in the growth of their file. */
export interface Shares {
  /** Bytes for each picture, in the order of the plan */
  bytes: number[];
  /** `maxBytes` limits them */
  fits?: true;
}

/**
 * Divides the growth that a file may have among its pictures, by the expected bytes of each. Pictures that stay within
 * their shares keep the file within its limit, regardless of the order and of the worker that makes them.
 * @param texts bytes of new text, which count for `maxBytes` and are beyond `maxGrowth`
 */
export function shareGrowth(plan: Sized, expected: readonly NewBytes[], texts = 0): Shares {
  const total = expected.reduce((sum, { bytes }) => sum + bytes, 0);
  const replaced = expected.reduce((sum, each) => sum + each.replaced, 0);
  const { maxBytes = Infinity } = plan.parameters;
  const [fitting, grown] = [maxBytes - texts, mostGrown(plan)];
  const room = Math.max(0, Math.min(fitting, grown) - plan.facts.fileBytes + replaced);
  const bytes = expected.map((each) => Math.floor((room * each.bytes) / Math.max(1, total)));
  return { bytes, ...(fitting < grown && { fits: true }) };
}
