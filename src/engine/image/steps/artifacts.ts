import type { JpegTables } from '../codecs/jpeg.ts';
import type { Picture } from '../picture.ts';
import { SHRINK_MARGIN, shrinkStrip, type PlaneShrinkage } from '../codecs/shrink-strip.ts';
import { filterStrips } from '../codecs/strips.ts';

/** From this quality on, the steps of the quantiser are too small to show. */
const CLEAN_QUALITY = 92;
/** Threshold in units of the quantiser's step. */
const THRESHOLD = 0.45;

/**
 * Takes blocks and ringing out of a picture that was a JPEG, in place: what the quantiser may have made up is dropped
 * in blocks that lie across its own grid (after Nosratinia, "Enhancement of JPEG-compressed images by re-application
 * of JPEG", 2001).
 * @param turned the picture was turned by a quarter after decoding, so the tables have to be as well
 * @returns whether there was anything to do
 */
export function reduceArtifacts(
  picture: Picture,
  tables: JpegTables,
  turned: boolean,
  onPart?: (part: number) => void,
): boolean {
  if (tables.quality >= CLEAN_QUALITY) return false;
  const luma: PlaneShrinkage = { thresholds: thresholds(tables.luma, turned), halved: false };
  const chroma = tables.chroma && { thresholds: thresholds(tables.chroma, turned), halved: tables.subsampled };
  const planes = picture.space === 'rgb' ? [luma, chroma, chroma] : [luma];
  filterStrips(picture, SHRINK_MARGIN, (strip) => shrinkStrip(strip, planes), onPart);
  return true;
}

function thresholds(table: Uint16Array, turned: boolean): Float32Array {
  return Float32Array.from(table, (_, i) => THRESHOLD * table[turned ? (i & 7) * 8 + (i >> 3) : i]!);
}
