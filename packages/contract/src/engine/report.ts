import type { ImageOutcome } from './image-outcome.ts';
import type { PdfWork } from './parameters.ts';
import type { ImageArea, PdfImage } from './preview.ts';

/** Maximum number of PDF images in a report; further images are only counted. */
export const MAX_REPORTED_IMAGES = 40;
/** Maximum number of PDF pages in a report. */
export const MAX_REPORTED_PAGES = 6;
/** Maximum number of notes in a report, and maximum length of one text. */
export const MAX_REPORTED_NOTES = 40;
export const MAX_REPORTED_TEXT = 500;

/** An image of a PDF with the actual or expected effect of an enhancement. */
export interface ReportedImage extends PdfImage {
  /** Pixels and resolution (DPI) in the result; null for an unchanged image */
  after: { width: number; height: number; resolution: number | null } | null;
  outcome: ImageOutcome;
  /** Its planned or finished work; null for a part of a picture if another part has the work */
  work: PdfWork | null;
  /** Whether it can have a preview */
  shown: boolean;
}

/** The images of a whole PDF under the parameters of an order. */
export interface PlannedImages {
  /** Total number; `images` has at most `MAX_REPORTED_IMAGES` */
  total: number;
  /** Number of images that are shown at less than the target resolution */
  below: number;
  /** The planned work, in pictures: strips and tiles of one picture count once */
  work: PdfWork;
  /** Pictures that cannot reach the target, and their lowest resolution in DPI; null when all can */
  shortfall: { images: number; lowest: number } | null;
}

export interface ReportedImageList extends PlannedImages {
  images: ReportedImage[];
}

/** Index of a report's picture among the accompanying files. */
export type PictureIndex = number;

export interface ReportedPicture {
  /** Null for a picture that cannot be shown */
  picture: PictureIndex | null;
  caption: string;
}

/** Content of a report, ready for layout. Texts are plain. */
export interface ReportContent {
  title: string;
  /** Below the title, such as the name of the file */
  subtitle: string;
  foot: string;
  /** ISO 8601 */
  madeAt: string;
  sections: { heading: string; rows: readonly (readonly [name: string, value: string])[] }[];
  notes: { heading: string; texts: readonly string[] } | null;
  images: {
    heading: string;
    /** Below the heading, such as the number of omitted images */
    note: string | null;
    rows: {
      title: string;
      before: ReportedPicture;
      after: ReportedPicture | null;
      lines: readonly string[];
    }[];
  } | null;
  pages: {
    heading: string;
    before: PictureIndex | null;
    after: PictureIndex | null;
    outlines: readonly ImageArea[];
  }[];
}
