import {
  overlapOfBoxes,
  pageBoxes,
  pageFrame,
  readBox,
  type PageBox,
  type PdfDict,
  type PdfDocument,
} from '@burnish/pdf';
import { mapPoint } from '../pages/matrix.ts';
import type { FoldOfPicture } from '../enhance/enhance-image.ts';
import type { ScanOfPage } from '../turn/scan-of-page.ts';
import { matrixOfUpright } from '../turn/upright.ts';

/** Smallest share of the visible page on each side of its fold. A page with less shows one side of a spread. */
const LEAST_SIDE = 0.1;

/** The line along which a page is cut, in its user space. */
export interface PageCut {
  /** 0: the sides differ in x, 1: in y */
  axis: 0 | 1;
  at: number;
  /** Whether the side of the lower coordinates is read first */
  isLowFirst: boolean;
}

/**
 * Returns the cut along the fold of a scan. The side that readers show on the left or above is read first, and in a
 * document of the opposite direction the one on the right.
 * @returns undefined where one side lies outside of the visible page
 */
export function findCut(
  pdf: PdfDocument,
  scan: ScanOfPage,
  { at: share, quarters }: FoldOfPicture,
  isRightToLeft: boolean,
): PageCut | undefined {
  const { page } = scan;
  const upright = matrixOfUpright(scan, { mirrored: false, turns: quarters }, { width: 1, height: 1 });
  const [top, bottom] = [0, 1].map((y) => mapPoint(upright, share, y)) as [[number, number], [number, number]];
  const axis = Math.abs(bottom[1] - top[1]) >= Math.abs(bottom[0] - top[0]) ? 0 : 1;
  const at = Number(((top[axis] + bottom[axis]) / 2).toFixed(3));
  const { visible } = pageBoxes(pdf, page.dict);
  const [from, to] = [visible[axis], visible[axis + 2]!] as [number, number];
  if (Math.min(at - from, to - at) < LEAST_SIDE * (to - from)) return undefined;
  const frame = pageFrame(pdf, page);
  const [left, below, right, above] = visible.map((side) => side * page.userUnit) as [number, number, number, number];
  const [low, high] = [frame.shown(left, below), axis === 0 ? frame.shown(right, below) : frame.shown(left, above)];
  const across = high.x - low.x;
  const areBeside = Math.abs(across) > 0.5;
  return { axis, at, isLowFirst: areBeside ? across > 0 !== isRightToLeft : high.y > low.y };
}

/** Whether a point of the page lies on the side that is read first. */
export const isOnFirst = ({ axis, at, isLowFirst }: PageCut, point: readonly number[]): boolean =>
  point[axis]! < at === isLowFirst;

/** Returns a copy of a page that shows one side of it. */
export function cutPage(pdf: PdfDocument, dict: PdfDict, cut: PageCut, isFirst: boolean): PdfDict {
  const { axis, at } = cut;
  const low: PageBox = axis === 0 ? [-Infinity, -Infinity, at, Infinity] : [-Infinity, -Infinity, Infinity, at];
  const high: PageBox = axis === 0 ? [at, -Infinity, Infinity, Infinity] : [-Infinity, at, Infinity, Infinity];
  const sideOf = (box: PageBox): PageBox | undefined => overlapOfBoxes(box, isFirst === cut.isLowFirst ? low : high);
  const { media, crop } = pageBoxes(pdf, dict);
  const side = new Map(dict).set('MediaBox', [...sideOf(media)!]);
  if (crop) side.set('CropBox', [...(sideOf(crop) ?? sideOf(media)!)]);
  for (const key of ['BleedBox', 'TrimBox', 'ArtBox']) {
    const box = readBox(pdf, dict.get(key));
    const own = box && sideOf(box);
    if (own) side.set(key, [...own]);
    else side.delete(key);
  }
  // A picture of the whole page
  side.delete('Thumb');
  return side;
}
