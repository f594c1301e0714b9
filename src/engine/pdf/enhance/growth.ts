import type { PdfDocument } from '../document/pdf-document.ts';
import { isStream } from '../syntax/objects.ts';
import type { PdfPlan } from '../analyze/plan.ts';
import type { ImageWork } from '../analyze/work.ts';
import type { StoredObject } from '../write/result-file.ts';

export interface PictureResult {
  work: ImageWork;
  objects: StoredObject[];
  /** Bytes of its data */
  bytes: number;
}

/** Default limit: a multiple of the original's size, or bytes beyond it, whichever is larger. */
const USUAL_GROWTH = { times: 6, bytes: 1_000_000 };
/** Upper bound on the dictionary and cross-reference entry of an object, bytes. */
export const OBJECT_BYTES = 600;

/** Returns the maximum size of the result of a plan, bytes. */
export function mostBytes({
  facts: { fileBytes },
  parameters: { maxGrowth },
}: Pick<PdfPlan, 'facts' | 'parameters'>): number {
  if (maxGrowth !== undefined) return Math.floor(fileBytes * maxGrowth);
  return Math.max(fileBytes * USUAL_GROWTH.times, fileBytes + USUAL_GROWTH.bytes);
}

/** A picture and the bytes that its result adds to the file. */
export interface AddedBytes {
  number: number;
  added: number;
}

/**
 * Chooses the pictures to leave out of a file that has too little space. The pictures that add most are left out first,
 * so that most pictures are enhanced.
 * @param fileBytes size of the original, bytes
 * @param most maximum size of the whole file, bytes
 */
export function leaveOut(
  sized: readonly AddedBytes[],
  { fileBytes, most }: { fileBytes: number; most: number },
): { leftOut: Set<number>; total: number } {
  let total = sized.reduce((sum, { added }) => sum + added, fileBytes);
  const leftOut = new Set<number>();
  for (const { number, added } of sized.toSorted((one, other) => other.added - one.added)) {
    if (total <= most) break;
    total -= added;
    leftOut.add(number);
  }
  return { leftOut, total };
}

/**
 * Chooses the results that fit into a file.
 * @param most maximum size of the whole file, bytes
 * @param rewritten whether the file loses the data that results replace
 * @returns the results to write, in order, and the object numbers of the pictures that are left out
 */
export function withinGrowth(
  pdf: PdfDocument,
  { facts: { fileBytes } }: PdfPlan,
  results: readonly PictureResult[],
  { most, rewritten }: { most: number; rewritten: boolean },
): { written: PictureResult[]; leftOut: Set<number> } {
  const sized = results.map((result) => ({
    number: result.work.number,
    added: addedBytes(pdf, result, rewritten),
  }));
  const { leftOut } = leaveOut(sized, { fileBytes, most });
  return { written: results.filter(({ work }) => !leftOut.has(work.number)), leftOut };
}

function addedBytes(pdf: PdfDocument, { objects, bytes }: PictureResult, rewritten: boolean): number {
  const added = bytes + objects.length * OBJECT_BYTES;
  if (!rewritten) return added;
  return objects.reduce((sum, { number, image }) => {
    const object = image && pdf.get(number);
    return isStream(object) ? sum - pdf.rawLength(object) : sum;
  }, added);
}
