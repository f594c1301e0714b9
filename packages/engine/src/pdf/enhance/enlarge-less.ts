import type { PdfParameters } from '@burnish/contract/engine';
import { leastScale, type ImageWork } from '../analyze/work.ts';
import type { PagePicture } from '../pages/page-picture.ts';

/**
 * The work on a picture with a smaller enlargement.
 * @param factor of the sides
 * @returns undefined when the picture would hardly be larger than it is
 */
export function enlargedLess(
  work: ImageWork,
  page: PagePicture,
  factor: number,
  parameters: PdfParameters,
): ImageWork | undefined {
  const side = (length: number, before: number): number => Math.max(before, Math.floor(length * factor));
  const [width, height] = [side(work.width, page.width), side(work.height, page.height)];
  if (!work.resize || Math.min(width / page.width, height / page.height) <= leastScale(parameters)) return undefined;
  const { mask } = page;
  const maskSize = mask &&
    work.mask && { width: side(work.mask.width, mask.width), height: side(work.mask.height, mask.height) };
  return { ...work, width, height, ...(maskSize && { mask: maskSize }) };
}
