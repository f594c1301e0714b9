/** Difference between an original and its enlarged result that is reduced again. */
export interface Fidelity {
  /** dB, over all colours; null for equal pictures */
  psnr: number | null;
  /** Levels of 255 */
  maxDifference: number;
}
