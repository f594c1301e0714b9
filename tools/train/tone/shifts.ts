import {
  levelPlanes,
  measureCoordinates,
  middleLogit,
} from '../../../packages/engine/src/image/steps/tone-coordinates.ts';
import { PIXELS, squareOf, type ToneSquare } from '../../../packages/engine/src/image/steps/tone-square.ts';
import * as brightness from '../../../packages/engine/src/image/steps/tone-middle.ts';
import * as colours from '../../../packages/engine/src/image/steps/tone-white-point.ts';
import { inCamera } from './cameras.ts';
import { inLight } from './damage.ts';
import { fitFilters, type ShiftSample } from './filters.ts';
import { isScene, weightOf, type Photograph } from './photographs.ts';
import { randomOf } from './random.ts';

const NO_TINT = { warm: 0, tint: 0 };
/** Light between which a pixel tells a cast. */
const [LEAST_LIGHT, MOST_LIGHT] = [0.004, 0.93];

/** Trains the filters that say how likely each cast is. */
export function trainCasts(photographs: readonly Photograph[]): Float32Array {
  const random = randomOf(1);
  const samples = photographs.filter(isScene).flatMap((photograph): ShiftSample[] => {
    const { planes } = photograph;
    const weight = weightOf(photograph);
    const good = squareOf(planes);
    const lights = [0, 1].map(() => ({
      stops: random.between(-1, 0.7),
      warm: random.normal(0.45),
      tint: random.normal(0.12),
    }));
    const others = [...lights.map((light) => inLight(planes, light)), ...[0, 1].map(() => inCamera(planes, random))];
    return [
      { histograms: colours.colourHistograms(good), shift: [0, 0], weight: 1.5 * weight },
      ...others.map((other): ShiftSample => {
        const square = squareOf(other);
        const { warm, tint } = castBetween(good, square);
        const shift = [warm / colours.WIDTHS.warm, tint / colours.WIDTHS.tint] as const;
        return { histograms: colours.colourHistograms(square), shift, weight: 0.5 * weight };
      }),
    ];
  });
  console.log(`${samples.length} samples of casts`);
  return fitFilters(samples, { columns: colours.BINS, decay: 1e-4, roughness: 1e-4, spread: 0.63, rounds: 25 });
}

/** Returns the mean cast of one light over another, of pixels that clip in neither. */
function castBetween(good: ToneSquare, other: ToneSquare): colours.Cast {
  let [red, blue, total] = [0, 0, 0];
  for (let i = 0; i < PIXELS; i += 1) {
    const [r, g, b] = [0, 1, 2].map((c) => other.light[c * PIXELS + i]! / good.light[c * PIXELS + i]!) as [
      number,
      number,
      number,
    ];
    const values = [0, 1, 2].flatMap((c) => [good.light[c * PIXELS + i]!, other.light[c * PIXELS + i]!]);
    const most = Math.max(...values);
    if (most > MOST_LIGHT || Math.min(...values) < LEAST_LIGHT) continue;
    const weight = Math.sqrt(most);
    red += weight * Math.log(r / g);
    blue += weight * Math.log(b / g);
    total += weight;
  }
  return total === 0 ? NO_TINT : { warm: (red - blue) / total, tint: -(red + blue) / 2 / total };
}

/** Trains the filters that say how likely each excess of the middle is. */
export function trainMiddles(photographs: readonly Photograph[]): Float32Array {
  const random = randomOf(3);
  const samples = photographs.flatMap((photograph): ShiftSample[] => {
    const weight = weightOf(photograph);
    const good = middleLogit(measureCoordinates(squareOf(photograph.planes)));
    // What is drawn is right at any brightness.
    const lights = (isScene(photograph) ? [0, 1, 2] : []).map(() =>
      inLight(photograph.planes, { ...NO_TINT, stops: random.between(-2, 1.7) }),
    );
    return [photograph.planes, ...lights].map((planes, n): ShiftSample => {
      const square = squareOf(planes);
      const measured = measureCoordinates(square);
      const middle = middleLogit(measured);
      const histograms = brightness.brightnessHistograms(levelPlanes(square, measured, NO_TINT), square);
      return { histograms, shift: [0, (middle - good) / brightness.BIN_WIDTH], weight: n === 0 ? 2 * weight : weight };
    });
  });
  console.log(`${samples.length} samples of middles`);
  return fitFilters(samples, { columns: brightness.BINS, decay: 1e-5, roughness: 1e-4, spread: 1, rounds: 40 });
}
