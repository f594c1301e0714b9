import type { PdfDocument } from '../document/pdf-document.ts';
import { isStream } from '../syntax/objects.ts';
import type { PdfPlan } from '../analyze/plan.ts';
import type { ImageWork } from '../analyze/work.ts';
import type { StoredObject } from '../write/result-file.ts';

/** The newly written objects of one picture. */
export interface PictureResult {
  work: ImageWork;
  objects: StoredObject[];
  /** Bytes of its data */
  bytes: number;
}

/** Unless a caller says otherwise: times of the original, or bytes beyond it where that is more. */
const USUAL_GROWTH = { times: 6, bytes: 1_000_000 };
/** Upper bound on the dictionary and cross-reference entry of an object, bytes. */
const OBJECT_BYTES = 600;

/** Bytes that the result of a plan may have. */
export function mostBytes({ facts: { fileBytes }, parameters: { maxGrowth } }: PdfPlan): number {
  if (maxGrowth !== undefined) return Math.floor(fileBytes * maxGrowth);
  return Math.max(fileBytes * USUAL_GROWTH.times, fileBytes + USUAL_GROWTH.bytes);
}

/**
 * Chooses the results that a file has space for. Those that add most are left out first, so that most pictures are enhanced.
 * @param most bytes of the whole file
 * @param rewritten the data that results replace goes
 * @returns the results to write, in order, and the object numbers of the pictures that are left out
 */
export function withinGrowth(
  pdf: PdfDocument,
  { facts: { fileBytes } }: PdfPlan,
  results: readonly PictureResult[],
  { most, rewritten }: { most: number; rewritten: boolean },
): { written: PictureResult[]; leftOut: Set<number> } {
  const sized = results.map((result) => ({ result, added: addedBytes(pdf, result, rewritten) }));
  let total = sized.reduce((sum, { added }) => sum + added, fileBytes);
  const leftOut = new Set<number>();
  for (const { result, added } of sized.toSorted((one, other) => other.added - one.added)) {
    if (total <= most) break;
    total -= added;
    leftOut.add(result.work.number);
  }
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
