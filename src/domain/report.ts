import type { ImageArea, PdfImage } from './upload/preview.ts';

/** Images of a PDF that a report shows; the others are counted. */
export const MAX_REPORTED_IMAGES = 40;
/** Pages of a PDF that a report shows. */
export const MAX_REPORTED_PAGES = 6;
/** Notes of the engine in a report, and characters of one text. */
export const MAX_REPORTED_NOTES = 40;
export const MAX_REPORTED_TEXT = 500;

/** An image of a PDF with what an enhancement did to it, or would do. */
export interface ReportedImage extends PdfImage {
  /** Pixels and resolution (DPI) in the result; null where it stays as it is */
  after: { width: number; height: number; resolution: number | null } | null;
  /** What was done, or the reason why nothing was, as a sentence */
  outcome: string;
  /** Whether a preview of it can be made */
  shown: boolean;
}

export interface ReportedImageList {
  /** All there are; `images` is cut off at `MAX_REPORTED_IMAGES` */
  total: number;
  images: ReportedImage[];
}

/** A picture of a report, by its place among the files that come with it. */
export type PictureIndex = number;

/** All that a report says, ready to be laid out. Texts are plain. */
export interface ReportContent {
  title: string;
  /** Below the title, such as the name of the file */
  subtitle: string;
  /** At the foot of each page */
  foot: string;
  /** ISO 8601 */
  madeAt: string;
  sections: { heading: string; rows: readonly (readonly [name: string, value: string])[] }[];
  notes: readonly string[];
  images: {
    heading: string;
    /** Below the heading, such as a count of images that are left out */
    note: string | null;
    rows: { lines: readonly string[]; before: PictureIndex | null; after: PictureIndex | null }[];
  } | null;
  pages: { heading: string; picture: PictureIndex; outlines: readonly ImageArea[] }[];
}
