import type { JpegTables } from '../codecs/jpeg.ts';
import type { Picture } from '../picture.ts';
import { SHRINK_MARGIN, shrinkStrip, type PlaneShrinkage } from '../filters/shrink-strip.ts';
import { filterStrips } from '../filters/strips.ts';

/** From this quality of a JPEG, 1 to 100, quantisation artefacts are invisible. */
export const CLEAN_QUALITY = 92;
/** Threshold in quantisation steps. */
const THRESHOLD = 0.45;

/**
 * Removes blocking and ringing from a picture decoded from JPEG, in place. Coefficients within the quantisation error
 * are dropped in blocks that overlap the JPEG grid (after Nosratinia, "Enhancement of JPEG-compressed images by
 * re-application of JPEG", 2001).
 * @param turned the picture was rotated by a quarter turn after decoding, so the tables must be transposed
 */
export function reduceArtifacts(
  picture: Picture,
  tables: JpegTables,
  turned: boolean,
  onPart?: (part: number) => void,
): void {
  const luma: PlaneShrinkage = { thresholds: thresholds(tables.luma, turned), halved: false };
  const chroma = tables.chroma && { thresholds: thresholds(tables.chroma, turned), halved: tables.subsampled };
  const planes = picture.space === 'rgb' ? [luma, chroma, chroma] : [luma];
  filterStrips(picture, SHRINK_MARGIN, (strip) => shrinkStrip(strip, planes), onPart);
}

function thresholds(table: Uint16Array, turned: boolean): Float32Array {
  return Float32Array.from(table, (_, i) => THRESHOLD * table[turned ? (i & 7) * 8 + (i >> 3) : i]!);
}
