/** Longest sides that a preview may be asked for, pixels: a list, so that no file has more than a few. */
export const PREVIEW_WIDTHS = [320, 960, 2048] as const;
export type PreviewWidth = (typeof PREVIEW_WIDTHS)[number];
/** A preview may also be asked for in the picture's own pixels. */
export type PreviewSize = PreviewWidth | 'full';

/** An image of a PDF as a person finds it. */
export interface PdfImage {
  /** Object number: the same in the original and in every result */
  number: number;
  /** First page that draws it, from 1 */
  page: number;
  /** How many pages draw it */
  pages: number;
  /** Pixels in the original */
  width: number;
  height: number;
  /** Lowest resolution at which it is drawn, pixels an inch; null when it is only drawn without extent */
  resolution: number | null;
}

/** An image that an enhancement changed, with its size in the result, pixels. */
export interface EnhancedPdfImage extends PdfImage {
  enhanced: { width: number; height: number };
}

/** The images of a PDF that can be enhanced, or that were, in the order of their pages. */
export interface PdfImageList<Image extends PdfImage = PdfImage> {
  /** All there are; `images` is cut off at `MAX_LISTED_PDF_IMAGES` */
  total: number;
  images: Image[];
}

/** More than a person looks through; a list stays under 1 MB. */
export const MAX_LISTED_PDF_IMAGES = 5000;

/** Resolution of a page in full, pixels an inch: what an office printer resolves, and four times a screen. */
export const FULL_PAGE_DPI = 200;
/** Longest side of a page in full, pixels: a poster is shown at a lower resolution. */
const MAX_PAGE_SIDE = 4800;

/** Position of an image on a displayed page, in parts of the page's sides from its top left corner, 0 to 1. */
export interface ImageArea {
  /** Object number of the image */
  number: number;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A page of a PDF, with the images on it that can be enhanced, or that were. */
export interface PdfPage {
  /** From 1 */
  page: number;
  /** As it is shown, points (1/72 inch) */
  width: number;
  height: number;
  /** At most `MAX_AREAS_PER_PAGE`, in the order in which they are drawn */
  images: ImageArea[];
}

export interface PdfPageList {
  /** All there are; `pages` is cut off at `MAX_LISTED_PDF_PAGES` */
  total: number;
  pages: PdfPage[];
}

export const MAX_LISTED_PDF_PAGES = 5000;
export const MAX_AREAS_PER_PAGE = 100;

/**
 * The size of a page's picture, pixels.
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
