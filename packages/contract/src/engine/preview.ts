import type { ImageKind, KindReason } from './image-kinds.ts';

/** Longest side of the whole picture or page in a trial, pixels. */
export const TRIAL_WHOLE_SIDE = 1024;
/** Longest side of the part in a trial that is shown with all its pixels, pixels of the result. */
export const TRIAL_PART_SIDE = 512;
/** Maximum number of orders that one trial compares. */
export const MAX_TRIED_ORDERS = 4;

/** Sizes of previews: the longest side in pixels. A fixed list limits the number of previews per file. */
export const PREVIEW_WIDTHS = [320, 960, 2048] as const;
export type PreviewWidth = (typeof PREVIEW_WIDTHS)[number];
/** A preview size; `full` keeps the picture's own pixels. */
export type PreviewSize = PreviewWidth | 'full';

/** An image of a PDF, with the facts that help a user find it. */
export interface PdfImage {
  /** Object number, identical in the original and in every result */
  number: number;
  /** First page that draws it, from 1 */
  page: number;
  /** Number of pages that draw it */
  pages: number;
  /** Pixels in the original */
  width: number;
  height: number;
  /** Lowest resolution at which it is drawn, pixels per inch; null when it is only drawn without extent */
  resolution: number | null;
}

/** An image that can be enhanced, with what it shows; null before an analysis, and for images of one bit. */
export interface ListedPdfImage extends PdfImage {
  kind: ImageKind | null;
  kindReason: KindReason | null;
}

/** An image that an enhancement changed, with its size in the result, pixels. */
export interface EnhancedPdfImage extends PdfImage {
  enhanced: { width: number; height: number };
  /** Only its mask was enlarged, and its samples stay */
  maskOnly: boolean;
}

/** Images of a PDF that can be enhanced, or were enhanced, in page order. */
export interface PdfImageList<Image extends PdfImage = PdfImage> {
  /** Total number; `images` has at most `MAX_LISTED_PDF_IMAGES` */
  total: number;
  images: Image[];
}

/** More than a user looks through. A list of this length stays under 1 MB. */
export const MAX_LISTED_PDF_IMAGES = 5000;

/** Resolution of a full page, pixels per inch: the resolution of an office printer, with four times the pixels of a screen. */
export const FULL_PAGE_DPI = 200;
/** Longest side of a full page, pixels. A poster therefore has a lower resolution. */
const MAX_PAGE_SIDE = 4800;

/** Position of an image on a displayed page, from its top left corner, as fractions of the page's sides, 0 to 1. */
export interface ImageArea {
  number: number;
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface PdfPage {
  /** From 1 */
  page: number;
  /** Displayed size, points (1/72 inch) */
  width: number;
  height: number;
  /** At most `MAX_AREAS_PER_PAGE`, in drawing order */
  images: ImageArea[];
}

export interface PdfPageList {
  /** Total number; `pages` has at most `MAX_LISTED_PDF_PAGES` */
  total: number;
  pages: PdfPage[];
}

export const MAX_LISTED_PDF_PAGES = 5000;
export const MAX_AREAS_PER_PAGE = 100;
/** Of all pages together, so that a list of pages stays under 6 MB. */
export const MAX_LISTED_AREAS = 50_000;

/**
 * Computes the size of a page's picture in pixels.
 * @param page points
 * @param side longest side, pixels; null for `FULL_PAGE_DPI`
 */
export function pageInPixels(
  page: { width: number; height: number },
  side: number | null,
): { width: number; height: number } {
  const longest = Math.max(page.width, page.height);
  const wanted = side ?? Math.min(MAX_PAGE_SIDE, Math.round((longest * FULL_PAGE_DPI) / 72));
  const pixels = (points: number): number => Math.max(1, Math.round((points / longest) * wanted));
  return { width: pixels(page.width), height: pixels(page.height) };
}
