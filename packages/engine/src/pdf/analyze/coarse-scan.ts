import type { BilevelPicture, PdfFacts } from './facts.ts';

/** Least resolution of pages of one bit that are enlarged, DPI: few letters below it gain, see docs/pdf.md. */
const LEAST_SCAN_DPI = 300;
/** Share of that resolution that a scan keeps whose page is a little larger than its paper. */
const TOLERANCE = 0.97;

/**
 * Returns whether a one-bit picture is the scan of a page with too few pixels to be enlarged. The analysis decodes no
 * such picture, so each that fills a page counts as a scan of text.
 */
export const isCoarseScan = ({ resolution, page }: Pick<BilevelPicture, 'resolution' | 'page'>): boolean =>
  page === true && resolution !== null && resolution < TOLERANCE * LEAST_SCAN_DPI;

/** Returns the one-bit pictures that may be enlarged. */
export const enlargeableBilevel = ({ bilevel }: PdfFacts): BilevelPicture[] =>
  bilevel.filter((picture) => !isCoarseScan(picture));
