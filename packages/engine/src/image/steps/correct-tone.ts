import type { LookValues } from '@burnish/contract/engine';
import { afterEachOther, correctToLook } from '../look/look-correction.ts';
import { lookScene, whiteShare } from '../look/look-tone.ts';
import { nightConfidence } from './night.ts';
import { keptConfidence, movedPlanes, projectTone, type ToneProjection } from './tone-projection.ts';
import { squareOf, type ToneSquare } from './tone-square.ts';
import type { ToneStatistics } from './tone-statistics.ts';

/**
 * Returns the correction of a whole picture: to the nearest tone that good photographs of such content have, then into the ranges of a look.
 * @param courage as in `projectTone`
 * @param own look of an account
 */
export function correctTone(
  square: ToneSquare,
  courage: number,
  statistics: ToneStatistics,
  own?: LookValues,
): ToneProjection & { saturation: number } {
  const night = nightConfidence(statistics);
  const { correction, left } = projectTone(square, courage, { night, white: statistics.white });
  if (own === undefined) return { correction, left, saturation: 1 };
  const kept = keptConfidence(square, night);
  const corrected = correction ? squareOf(movedPlanes(square.coded, correction)) : square;
  const gates = { kept, white: whiteShare(corrected) };
  const { tables, saturation } = correctToLook(lookScene(corrected), own.ranges, gates);
  return { correction: afterEachOther(correction, tables), left, saturation };
}
