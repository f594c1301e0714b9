import { ramp } from '../ramps.ts';
import type { ToneLevels } from './tone-statistics.ts';

/** The first value of each pair is no sign of night, the second is a full one. */
const SIGNS = {
  /** Median of luma */
  median: [0.3, 0.2],
  /** Share of bright pixels: a window or a sky is larger than lamps */
  bright: [0.12, 0.05],
  /** Stops between the brightest points and the rest */
  lights: [1.8, 2.8],
  /** Share of black pixels */
  black: [0.5, 0.8],
} as const;
/** Product of the signs from which a picture is certainly a night scene: a correction in part weakens the signs, and invites the next. */
const ENOUGH = 0.3;

/**
 * Returns the confidence that a picture shows a night scene, 0..1: a dark picture with few small lights that are much
 * brighter than the rest, or one that is black for the most part. An underexposed picture is not dark once its brightest points are
 * light; a picture against the light has large bright areas. With less light the confidence never falls.
 */
export function nightConfidence({ lights, lit }: ToneLevels): number {
  const levels = { lights, ...lit };
  const sign = (name: keyof typeof SIGNS): number => {
    const [none, full] = SIGNS[name];
    return full > none ? ramp(levels[name], [none, full]) : 1 - ramp(levels[name], [full, none]);
  };
  const signs = sign('median') * sign('bright') * Math.max(sign('lights'), sign('black'));
  return ramp(signs, [0, ENOUGH]);
}
