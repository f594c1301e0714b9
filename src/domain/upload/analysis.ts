/**
 * What the analysis of a PDF found (docs/contract.md). `images` counts distinct image objects; the eligible ones are counted as pictures, so
 * that strips and tiles of one count once.
 */
export interface PdfAnalysis {
  /** Credits for every enhancement that the PDF is eligible for. */
  totalCredits: number;
  statistics: {
    pages: number;
    images: number;
    colorEligible: number;
    resizeEligible: number;
    /** Pictures that cannot reach 300 DPI, since an image is enlarged at most 4 times; absent: none */
    belowTarget?: number | undefined;
    /** The lowest resolution that one of them reaches, DPI */
    lowestReached?: number | undefined;
    /** Credits by the combination that is asked for. */
    credits: { color: number; resize: number; colorAndResize: number };
  };
}
