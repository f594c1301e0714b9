import type { LookQuantity, LookValues } from '@burnish/contract/engine';
import { ramp } from '../ramps.ts';
import { tablesBetween, withMiddleMoved } from '../steps/tone-coordinates.ts';
import { LEVELS, valueAt, type ToneCorrection } from '../steps/tone-correction.ts';
import { isNear, KEPT_MARGIN, LEAST_CHANGE, MUCH_WHITE, movedPlanes } from '../steps/tone-projection.ts';
import { colourOf, riseByBlack, type LookScene } from './look-tone.ts';

/** Saturation factors of a look: least, and greatest. */
const SATURATION = [0.7, 1.35] as const;

/** What a look does to a picture that ENHANCE has corrected. */
export interface LookCorrection {
  /** Undefined where the picture lies inside of all ranges of tone */
  tables: ToneCorrection | undefined;
  /** Saturation factor, after the tables */
  saturation: number;
  /** Three planes after the tables, before the saturation */
  planes: Float32Array;
}

/**
 * Moves the values of a picture into the ranges of a look. What lies inside stays as it is, so a second pass changes nothing.
 * @param ranges least and greatest value of quantities; others stay
 * @param gates confidence that the picture stays, by which ranges widen, and share of its pixels that are white, both 0..1
 */
export function correctToLook(
  { square, coordinates, expectedBlack, tone }: LookScene,
  ranges: LookValues['ranges'],
  { kept, white: whiteShare }: { kept: number; white: number },
): LookCorrection {
  const margin = KEPT_MARGIN * kept ** 2;
  const ofWhite = KEPT_MARGIN * ramp(whiteShare, MUCH_WHITE) ** 2;
  const excess = (quantity: LookQuantity, value: number, more = margin): number => {
    const [least, most] = ranges[quantity] ?? [value, value];
    return value - Math.min(most + more, Math.max(least - more, value));
  };
  const ofCast = Math.max(margin, ofWhite);
  const black = Math.max(0, expectedBlack + tone.black - excess('black', tone.black, ofCast));
  const raised = tone.middle + riseByBlack(coordinates, black);
  const to = {
    ...withMiddleMoved({ ...coordinates, black }, -excess('middle', raised)),
    warm: coordinates.warm - excess('warm', tone.warm, ofCast),
    tint: coordinates.tint - excess('tint', tone.tint, ofCast),
    // White never rises above the brightest channel.
    white: Math.min(coordinates.white - excess('white', tone.white), Math.max(0, coordinates.white)),
  };
  const tables = isNear(coordinates, to) ? undefined : tablesBetween(coordinates, to, whiteShare);
  const planes = tables === undefined ? square.coded : movedPlanes(square.coded, tables);
  const missing = -excess('colour', colourOf(planes));
  const factor = Math.abs(missing) < LEAST_CHANGE ? 1 : Math.exp(missing);
  return { tables, planes, saturation: Math.min(SATURATION[1], Math.max(SATURATION[0], factor)) };
}

/** Returns one correction that does two, one after the other. */
export function afterEachOther(
  first: ToneCorrection | undefined,
  second: ToneCorrection | undefined,
): ToneCorrection | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const [red, green, blue] = first.map((table, c) =>
    Float32Array.from({ length: LEVELS }, (_, v) => valueAt(second[c]!, Math.min(1, Math.max(0, table[v]!)))),
  );
  return [red!, green!, blue!];
}
