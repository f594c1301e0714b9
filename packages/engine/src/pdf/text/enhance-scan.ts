import { join } from 'node:path';
import type { UnreadReason } from '@burnish/contract/engine';
import type { QuarterTurns } from '../../image/quarter-turn.ts';
import type { Picture } from '../../image/picture.ts';
import type { ImageWork, PdfPlan } from '../analyze/work.ts';
import { enhanceToFile } from '../enhance/span.ts';
import { pageAt } from '../pages/page-at.ts';
import { loadPicture } from '../pages/page-picture.ts';
import { DamagedImage } from '../images/damaged-image.ts';
import type { Run } from '../run.ts';
import { findScanOfPage, type ScanOfPage } from '../turn/scan-of-page.ts';
import { drawScan } from './draw-scan.ts';
import { showsText } from './own-text.ts';
import { writeReading, readingName, type PageReading, type ScanToRead } from './page-words.ts';
import type { PdfDocument } from '@burnish/pdf';

/**
 * Enhances one image of a plan into a file, and draws the scan as the result will show it.
 * @param index in the plan
 * @param given `direction`: quarter turns clockwise that the page needs, where its reader has found them
 */
export async function enhanceScan(
  pdf: PdfDocument,
  plan: PdfPlan,
  index: number,
  given: { resultPath: string; scanPath: string; direction?: QuarterTurns | undefined },
  { models, onProgress, signal }: Run,
): Promise<ScanToRead> {
  const work = plan.work[index];
  if (work === undefined) throw new Error(`The plan has no image ${index}.`);
  let changed: Picture | undefined;
  const onPart = (fraction: number): void => {
    signal?.throwIfAborted();
    onProgress?.({ step: 'images', fraction });
  };
  const onPicture = (picture: Picture): void => void (changed = picture);
  const run = { models, onPart, onPicture, direction: given.direction };
  const { direction } = await enhanceToFile(pdf, plan, work, given.resultPath, run);
  if (work.reads === undefined) return { unread: null };
  const scan = findScan(pdf, work, work.reads);
  if (typeof scan === 'string') return { unread: scan };
  try {
    const picture = changed ?? (await loadPicture(pdf, work.number, work.parts)).picture;
    return await drawScan(pdf, scan, picture, { number: work.number, direction, path: given.scanPath });
  } catch (error) {
    if (error instanceof DamagedImage) return { unread: 'no-scan' };
    throw error;
  }
}

function findScan(pdf: PdfDocument, work: ImageWork, number: number): ScanOfPage | UnreadReason {
  const page = pageAt(pdf, number);
  if (page === undefined) return 'no-scan';
  return showsText(pdf, page) ? 'own-text' : (findScanOfPage(pdf, page, work) ?? 'no-scan');
}

/** Stores the reading of a picture beside its result. */
export const storeReading = (directory: string, index: number, reading: PageReading): Promise<void> =>
  writeReading(join(directory, readingName(index)), reading);
