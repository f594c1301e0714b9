import type { BilevelPicture, PdfFacts } from './facts.ts';

/** Least resolution of letters of one bit that are enlarged, DPI. Below it they read no better, see docs/pdf.md. */
export const LEAST_SCAN_DPI = 300;
/** Share of that resolution that a scan keeps whose page is a little larger than its paper. */
const TOLERANCE = 0.97;

/** Returns whether letters in a one-bit picture have too few pixels to be enlarged. */
export const isCoarse = ({ resolution }: Pick<BilevelPicture, 'resolution'>): boolean =>
  resolution !== null && resolution < TOLERANCE * LEAST_SCAN_DPI;

/**
 * Returns whether a one-bit picture is the scan of a page with too few pixels to be enlarged. The analysis decodes no
 * such picture, so each that fills a page counts as a scan of text.
 */
export const isCoarseScan = (picture: Pick<BilevelPicture, 'resolution' | 'page'>): boolean =>
  picture.page === true && isCoarse(picture);

/** Returns the one-bit pictures that may be enlarged. */
export const enlargeableBilevel = ({ bilevel }: PdfFacts): BilevelPicture[] =>
  bilevel.filter((picture) => !isCoarseScan(picture));
