import type { LeftAloneReason } from './eligibility.ts';

/** An image that may be enhanced in one way at least. */
export interface EligibleImage {
  /** Object number */
  number: number;
  /** Pixels */
  width: number;
  height: number;
  /** Lowest resolution at which it is drawn, pixels an inch; null when it is only drawn without extent */
  resolution: number | null;
  /** Whether it has the size and the variation of colour of a photograph */
  color: boolean;
  /** Longest side that its encoding can hold, pixels */
  maxSide: number;
  /** Most pixels that its result may have, by what they take in memory */
  maxPixels: number;
}

export interface LeftAlone {
  reason: LeftAloneReason;
  count: number;
}

/** Rises when the form or the meaning of facts changes: those of another format are found out again. */
export const FACTS_FORMAT = 2;

/**
 * What is known of a PDF and does not depend on any parameter: JSON, some 100 bytes an eligible image. Every count is
 * of distinct images; soft masks and alternates belong to their image and are not counted.
 */
export interface PdfFacts {
  format: typeof FACTS_FORMAT;
  /** Size of the file, bytes: facts of another file are not taken for this one's */
  fileBytes: number;
  pages: number;
  images: number;
  eligible: EligibleImage[];
  leftAlone: LeftAlone[];
  signed: boolean;
  /** The cross-reference table was broken and had to be rebuilt */
  rebuilt: boolean;
}
