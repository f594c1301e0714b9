import type { Turning } from '../../image/document/directions.ts';
import type { QuarterTurns } from '../../image/quarter-turn.ts';
import type { ImageWork } from '../analyze/work.ts';
import { contentOperators } from '../pages/content-operators.ts';
import { pageAt } from '../pages/page-at.ts';
import type { PdfDocument } from '@burnish/pdf';
import { findScanOfPage, type ScanOfPage } from './scan-of-page.ts';
import { findUprighting } from './upright.ts';

/** Operators that place and clip images and show nothing else, and those that mark content. */
const PLACING = new Set(['q', 'Q', 'cm', 'gs', 'Do', 're', 'W', 'W*', 'n', 'BMC', 'BDC', 'EMC']);

/** How a page shows a cleaned picture. */
export interface ShownPicture {
  /**
   * What may turn: what its page shows else can follow a turn of the whole picture only, so the pages of a spread turn by
   * themselves where there is nothing else.
   */
  turning: Turning;
  /** The turn with which readers show it; 0 for a picture that does not fill a page alone, and for a mirrored one */
  quarters: QuarterTurns;
}

/** Finds how the page that a picture fills shows it. */
export function findShownPicture(pdf: PdfDocument, work: Pick<ImageWork, 'number' | 'parts' | 'turns'>): ShownPicture {
  if (work.turns === undefined) return KEPT;
  const page = pageAt(pdf, work.turns);
  const scan = page && findScanOfPage(pdf, page, work);
  if (scan === undefined) return KEPT;
  const { mirrored, turns } = findUprighting(pdf, scan);
  return { turning: showsScanAlone(pdf, scan) ? 'sides' : 'page', quarters: mirrored ? 0 : turns };
}

const KEPT: ShownPicture = { turning: 'keep', quarters: 0 };

function showsScanAlone(pdf: PdfDocument, { page, content, draws }: ScanOfPage): boolean {
  const annotations = pdf.resolve(page.dict.get('Annots'));
  if (Array.isArray(annotations) && annotations.length > 0) return false;
  const names = [...contentOperators(content())].map(({ name }) => name);
  return names.every((name) => PLACING.has(name)) && names.filter((name) => name === 'Do').length === draws.length;
}
