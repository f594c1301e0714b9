import type { Skin } from '../faces/skin.ts';
import { ramp } from '../ramps.ts';
import { LUMA, linearLight } from './curves.ts';
import { levelScales, middleLogit, type ToneCoordinates } from './tone-coordinates.ts';
import { GAMMA } from './tone-square.ts';
import type { Cast } from './tone-white-point.ts';

/** Colours of skin under an acceptable light, of nine in ten faces of the training photographs: logarithms as in a cast. */
const WARM = [0.3, 1.9] as const;
const TINT = [-0.35, 0.03] as const;
/** Distance from these colours, in the units of `FAR`, of light that is hardly coloured on purpose, and of light that is. */
const [FAR, ON_PURPOSE] = [{ warm: 3.2, tint: 0.9 }, [0.6, 1]] as const;
/** Coded brightness of the skin that a share of the faces of training photographs exceeds: .05 and .4 of the courage. */
const BRIGHTEST = [0.74, 0.62] as const;
const COURAGE = [0.05, 0.4] as const;
/** Excess that faces prove at most, as a difference of logits: others beside a lit face may be dark. */
const MOST_EXCESS = 1.2;
/** Bounds of a level before its logit. */
const [LEAST, MOST] = [0.01, 0.99];

/**
 * Returns the cast nearest to a given one whose removal leaves skin a colour that it has in acceptable light.
 * @param greys white point by shades of grey, which no cast exceeds
 * @param trust 0..1
 */
export function castOfSkin(cast: Cast, { colour }: Skin, greys: Cast, trust: number): Cast {
  if (colour === undefined) return cast;
  const warm = beyond(colour.warm - cast.warm, WARM);
  const tint = beyond(colour.tint - cast.tint, TINT);
  const part = trust * (1 - ramp(Math.hypot(warm / FAR.warm, tint / FAR.tint), ON_PURPOSE));
  return {
    warm: inside(cast.warm + warm * part, cast.warm, greys.warm),
    tint: inside(cast.tint + tint * part, cast.tint, greys.tint),
  };
}

const beyond = (value: number, [least, most]: readonly [number, number]): number =>
  value > most ? value - most : Math.min(0, value - least);

/** Returns the value nearest to a wanted one between 0, a given value and a limit. */
const inside = (wanted: number, given: number, limit: number): number =>
  Math.min(Math.max(wanted, Math.min(0, given, limit)), Math.max(0, given, limit));

/**
 * Returns by how much skin is brighter than in most good photographs, as a difference of logits of the middle.
 * @param from coordinates of the picture. @param black and cast what it gets and loses. @param courage as in `projectTone`
 */
export function excessOfSkin(
  { light }: Skin,
  from: ToneCoordinates,
  { black, cast, courage }: { black: number; cast: Cast; courage: number },
): number {
  const scales = levelScales(cast.warm, cast.tint);
  const level = light.reduce((sum, own, c) => sum + LUMA[c]! * own ** (1 / GAMMA) * scales[c]!, 0);
  const brightest = BRIGHTEST[0] + (BRIGHTEST[1] - BRIGHTEST[0]) * ramp(courage, COURAGE);
  const start = { ...from, black };
  const own = shareLogit(level, from) + middleLogit(start) - middleLogit(from);
  return Math.min(MOST_EXCESS, Math.max(0, own - shareLogit(linearLight(brightest) ** (1 / GAMMA), start)));
}

/** Returns the logit of a level between black and white. */
function shareLogit(level: number, { white, black }: ToneCoordinates): number {
  const share = Math.min(MOST, Math.max(LEAST, (level / 2 ** (white / GAMMA) - black) / (1 - black)));
  return Math.log(share / (1 - share));
}
