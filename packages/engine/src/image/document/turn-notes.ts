import type { PageNote } from '@burnish/contract/engine';
import { toTenths } from '../to-tenths.ts';
import type { Directions } from './directions.ts';

/** Returns the notes on the skew of a page, or of the pages of a spread: what was undone, and what stays. */
export function notesOnTurns(areas: Directions['areas'], skewed: Directions['skewed']): PageNote[] {
  const degrees = (exact: number): number => toTenths(Math.abs(exact));
  const [angle, other] = areas.map((area) => area.angle) as [number, number?];
  const notes: PageNote[] = skewed.map((skew) => ({
    code: 'PAGE_SKEWED',
    degrees: degrees(skew.degrees),
    because: skew.because,
  }));
  if (areas.every((area) => area.angle === 0)) return notes;
  if (other === undefined) return [{ code: 'PAGE_TURNED', degrees: degrees(angle) }, ...notes];
  return [{ code: 'SPREAD_TURNED', left: degrees(angle), right: degrees(other) }, ...notes];
}
