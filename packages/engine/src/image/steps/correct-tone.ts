import type { LookValues } from '@burnish/contract/engine';
import type { Skin } from '../faces/skin.ts';
import { afterEachOther, correctToLook } from '../look/look-correction.ts';
import { lookScene, whiteShare } from '../look/look-tone.ts';
import { nightConfidence } from './night.ts';
import { keptConfidence, movedPlanes, projectTone, type ToneProjection } from './tone-projection.ts';
import { squareOf, type ToneSquare } from './tone-square.ts';
import type { ToneStatistics } from './tone-statistics.ts';

/**
 * Returns the correction of a whole picture: to the nearest tone that good photographs of such content have, then into the ranges of a look.
 * @param courage as in `projectTone`
 * @param known.own look of an account. @param known.skin of faces, where they are known
 */
export function correctTone(
  square: ToneSquare,
  courage: number,
  statistics: ToneStatistics,
  { own, skin }: { own?: LookValues | undefined; skin?: Skin | undefined } = {},
): ToneProjection & { saturation: number } {
  const night = nightConfidence(statistics);
  const projection = projectTone(square, courage, { night, white: statistics.white, skin });
  if (own === undefined) return { ...projection, saturation: 1 };
  const { correction } = projection;
  const kept = keptConfidence(square, night);
  const corrected = correction ? squareOf(movedPlanes(square.coded, correction)) : square;
  const gates = { kept, white: whiteShare(corrected) };
  const { tables, saturation } = correctToLook(lookScene(corrected), own.ranges, gates);
  return { ...projection, correction: afterEachOther(correction, tables), saturation };
}
