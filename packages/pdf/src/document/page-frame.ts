import { isDict, type PdfDict, type PdfValue } from '../syntax/objects.ts';
import type { Page } from './page-tree.ts';
import type { PdfDocument } from './pdf-document.ts';

/** The visible part of a page, rotated as PDF readers show it. */
export interface PageFrame {
  /** Points */
  width: number;
  height: number;
  /** Maps a point of the page's content to fractions of the visible page, from its top left corner. */
  shown(x: number, y: number): { x: number; y: number };
}

/** In user space, each side below its opposite. */
export type PageBox = readonly [left: number, bottom: number, right: number, top: number];

/** Readers show a page without any box at US letter size. */
const LETTER: PageBox = [0, 0, 612, 792];
/** Maximum number of levels of the page tree to search for an inherited entry. */
const MAX_LEVELS = 64;

/** Returns the crop box within the media box, rotated by `Rotate` (ISO 32000-1 sections 7.7.3.3 and 14.11.2). */
export function pageFrame(document: PdfDocument, { dict, userUnit }: Page): PageFrame {
  const { visible } = pageBoxes(document, dict);
  const [left, bottom, right, top] = visible;
  const [across, up] = [right - left, top - bottom];
  const turns = quarterTurnsOf(document, dict);
  const [width, height] = turns % 2 === 0 ? [across, up] : [up, across];
  return {
    width: width * userUnit,
    height: height * userUnit,
    shown(x, y) {
      const [u, v] = [(x / userUnit - left) / across, (y / userUnit - bottom) / up];
      return [
        { x: u, y: 1 - v },
        { x: v, y: u },
        { x: 1 - u, y: v },
        { x: 1 - v, y: 1 - u },
      ][turns]!;
    },
  };
}

/** Returns the media box, the crop box if there is one, and the part of both that readers show; inherited ones too. */
export function pageBoxes(
  document: PdfDocument,
  dict: PdfDict,
): { media: PageBox; crop: PageBox | undefined; visible: PageBox } {
  const media = readBox(document, inherited(document, dict, 'MediaBox')) ?? LETTER;
  const crop = readBox(document, inherited(document, dict, 'CropBox'));
  return { media, crop, visible: (crop && overlapOfBoxes(media, crop)) ?? media };
}

function inherited(document: PdfDocument, page: PdfDict, key: string): PdfValue | undefined {
  let node: PdfValue = page;
  for (let level = 0; level < MAX_LEVELS && isDict(node); level += 1) {
    const own = node.get(key);
    if (own !== undefined) return own;
    node = document.resolve(node.get('Parent'));
  }
  return undefined;
}

/** Reads a box of a page. @returns undefined for another value, and for a box without an area */
export function readBox(document: PdfDocument, value: PdfValue | undefined): PageBox | undefined {
  const found = document.resolve(value);
  const numbers = Array.isArray(found) ? found.map(document.resolve) : [];
  const [x0, y0, x1, y1] = numbers as number[];
  if (numbers.length < 4 || ![x0, y0, x1, y1].every(Number.isFinite)) return undefined;
  const box: PageBox = [Math.min(x0!, x1!), Math.min(y0!, y1!), Math.max(x0!, x1!), Math.max(y0!, y1!)];
  return box[2] > box[0] && box[3] > box[1] ? box : undefined;
}

/** @returns undefined for boxes without a common area */
export function overlapOfBoxes(one: PageBox, other: PageBox): PageBox | undefined {
  const [left, bottom] = [Math.max(one[0], other[0]), Math.max(one[1], other[1])];
  const [right, top] = [Math.min(one[2], other[2]), Math.min(one[3], other[3])];
  return right > left && top > bottom ? [left, bottom, right, top] : undefined;
}

/** Returns the quarter turns clockwise with which readers show a page, by its own or an inherited `Rotate`. */
export function quarterTurnsOf(document: PdfDocument, page: PdfDict): number {
  const rotate = document.resolve(inherited(document, page, 'Rotate'));
  if (typeof rotate !== 'number' || rotate % 90 !== 0) return 0;
  return (((rotate / 90) % 4) + 4) % 4;
}
