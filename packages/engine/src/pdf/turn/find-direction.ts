import { findOrientation } from '../../image/orientation/find-orientation.ts';
import { emptySamples, type Picture } from '../../image/picture.ts';
import type { QuarterTurns } from '../../image/quarter-turn.ts';
import type { ImageWork } from '../analyze/work.ts';
import { pageAt } from '../pages/page-at.ts';
import type { PagePicture } from '../pages/page-picture.ts';
import type { PdfDocument } from '@burnish/pdf';
import { findScanOfPage } from './scan-of-page.ts';
import { findUprighting } from './upright.ts';

/**
 * Finds the quarter turns clockwise that a page needs to show its scan upright, by the letters of the scan.
 * @param load decodes the picture, where it is needed
 * @returns undefined where they show no direction, and for a picture that does not fill a page alone
 * @throws DamagedImage
 */
export async function findDirection(
  pdf: PdfDocument,
  work: Pick<ImageWork, 'number' | 'parts' | 'turns' | 'reads'>,
  load: () => Promise<PagePicture>,
): Promise<QuarterTurns | undefined> {
  const number = work.turns ?? work.reads;
  const page = number === undefined ? undefined : pageAt(pdf, number);
  const scan = page && findScanOfPage(pdf, page, work);
  if (scan === undefined) return undefined;
  const { picture } = await load();
  const { mirrored, turns } = findUprighting(pdf, scan);
  const upright = findOrientation(mirrored ? mirroredPicture(picture) : picture);
  return upright === undefined ? undefined : (((upright - turns + 4) % 4) as QuarterTurns);
}

/** Returns a picture whose left and right have changed places. */
function mirroredPicture(picture: Picture): Picture {
  const { width, channels, data } = picture;
  const mirrored = emptySamples(picture, data.length);
  for (let from = 0; from < data.length; from += channels) {
    const pixel = from / channels;
    const x = pixel % width;
    const to = (pixel - x + width - 1 - x) * channels;
    for (let c = 0; c < channels; c += 1) mirrored[to + c] = data[from + c]!;
  }
  return { ...picture, data: mirrored };
}
