/** What the analysis of a PDF found (docs/contract.md). Counts are of distinct image objects. */
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
