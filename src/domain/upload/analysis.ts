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
    /** Credits by the combination that is asked for. */
    credits: { color: number; resize: number; colorAndResize: number };
  };
}
