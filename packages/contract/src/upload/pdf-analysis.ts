import type { ImageKind } from '../engine/image-kinds.ts';

/**
 * Result of the analysis of a PDF (docs/contract.md). `images` counts distinct image objects. The eligible ones are counted as
 * pictures, so that the strips and tiles of one picture count once.
 */
export interface PdfAnalysis {
  /** Credits for every enhancement that the PDF is eligible for. */
  totalCredits: number;
  statistics: {
    pages: number;
    images: number;
    colorEligible: number;
    resizeEligible: number;
    /** Pictures that can be enhanced, by kind; absent for analyses of the hosted service */
    kinds?: Partial<Record<ImageKind, number>> | undefined;
    /** Pages that show blank paper, in order, at most 1,000; absent without any. Only an order drops them */
    blankPages?: number[] | undefined;
    /** The PDF has a digital signature, which an enhancement invalidates */
    signed?: true | undefined;
    /** With some parameters, the images may have more pixels than the limit */
    mayExceedPixels?: true | undefined;
    /** Pictures that cannot reach 300 DPI, because the maximum enlargement is 4 times; absent: none */
    belowTarget?: number | undefined;
    /** The lowest resolution among these pictures after enlargement, DPI */
    lowestReached?: number | undefined;
    /** Credits by requested combination. */
    credits: { color: number; resize: number; colorAndResize: number };
  };
}
