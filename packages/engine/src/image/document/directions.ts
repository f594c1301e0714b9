import type { SkewReason } from '@burnish/contract/engine';
import type { Picture } from '../picture.ts';
import { findFold } from './find-fold.ts';
import type { InkLevels } from './ink.ts';
import { sidesOf, wholeArea } from './page-area.ts';
import type { PagePlanes } from './page-planes.ts';
import type { PaperSurface } from './paper-surface.ts';
import { measureSkew, type TurnedArea } from './skew.ts';

/** Difference between the directions of two pages that a turn of both together leaves noticeably, degrees. */
const NOTICEABLE = 0.3;

/** Skew from which a page that stays skewed is reported, degrees. */
const REPORTED = 1;

/**
 * What may turn: each page of a spread by itself; only the picture as a whole, where what lies over its ink moves with it;
 * or nothing, where it could not.
 */
export type Turning = 'sides' | 'page' | 'keep';

/** The directions of the pages of a picture. */
export interface Directions {
  /** The page, or both pages of a spread, with the turn that is undone; 0 for none */
  areas: TurnedArea[];
  /** The skew that stays, in degrees, and why; not reported below one degree */
  skewed: { degrees: number; because: SkewReason }[];
  /** A turn is so steep that letters have to prove it */
  steep: boolean;
  /** The fold between the pages of a spread, as a share of the width of the straight picture */
  fold?: number;
  /** The picture is a spread whose pages differ in direction, and they could not turn by themselves */
  together: boolean;
}

/**
 * Finds the fold of a spread, and how far each page is skewed. A fold counts only beside lines of text that run to it.
 * @param lettered whether steep lines are proved as lines of text, or are to be
 */
export function findDirections(
  picture: Picture,
  { planes, levels, surface }: { planes: PagePlanes; levels: InkLevels; surface: PaperSurface },
  turning: Turning,
  lettered: boolean,
): Directions {
  const whole = wholeArea(picture);
  const fold = findFold(picture);
  const sides = fold === undefined ? [] : sidesOf(fold, picture);
  const skews = sides.map((area) => ({ area, ...measureSkew(planes, levels, surface, area) }));
  const isSpread = skews.some(({ lined }) => lined);
  const found = isSpread ? { fold: sides[0].right / picture.width } : {};
  const differ = isSpread && Math.abs(skews[0]!.angle - skews[1]!.angle) > NOTICEABLE;
  const measured =
    isSpread && turning !== 'page' ? skews : [{ area: whole, ...measureSkew(planes, levels, surface, whole) }];
  const own = measured.map(({ stays, ...each }) => {
    const unproved = each.steep && !lettered ? 'slanted' : undefined;
    return { ...each, stays: stays ?? (turning === 'keep' ? 'content' : unproved) };
  });
  return {
    areas: own.map(({ area, angle, stays }) => ({ area, angle: stays === undefined ? angle : 0 })),
    skewed: own.flatMap(({ angle, stays }) => {
      const degrees = Math.abs(angle);
      return stays === undefined || degrees <= REPORTED ? [] : [{ degrees, because: stays }];
    }),
    steep: own.some(({ stays, steep }) => steep && stays === undefined),
    together: differ && turning !== 'sides',
    ...found,
  };
}
