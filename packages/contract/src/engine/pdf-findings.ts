import type { ImageKind } from './image-kinds.ts';
import type { PdfWork } from './parameters.ts';

/** Format of the facts about a PDF. It increases whenever their format or meaning changes. Facts of another format are computed again. */
export const FACTS_FORMAT = 10;

/** What the analysis of a PDF finds, with the work of the default parameters: 300 DPI, threshold 1.2, automatic colour. */
export interface PdfFindings {
  pages: number;
  /** Distinct image objects */
  images: number;
  work: PdfWork;
  /** Pictures that can be enhanced, by kind */
  kinds: Partial<Record<ImageKind, number>>;
  /** Pages that show blank paper, in order, at most `MAX_PAGE_CHOICES`; absent without any. Only an order drops them */
  blankPages?: number[] | undefined;
  /** The PDF has a digital signature, which an enhancement invalidates */
  signed?: true | undefined;
  /** With some parameters, the images may have more pixels than the limit */
  mayExceedPixels?: true | undefined;
  /** Pictures that cannot reach 300 DPI, because the maximum enlargement is 4 times; absent: none */
  belowTarget?: number | undefined;
  /** The lowest resolution among these pictures after enlargement, DPI */
  lowestReached?: number | undefined;
}
