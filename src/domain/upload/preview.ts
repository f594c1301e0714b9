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
