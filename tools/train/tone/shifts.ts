import {
  levelPlanes,
  measureCoordinates,
  middleLogit,
} from '../../../packages/engine/src/image/steps/tone-coordinates.ts';
import { squareOf } from '../../../packages/engine/src/image/steps/tone-square.ts';
import * as brightness from '../../../packages/engine/src/image/steps/tone-middle.ts';
import * as colours from '../../../packages/engine/src/image/steps/tone-white-point.ts';
import { inLight } from './damage.ts';
import { fitFilters, type ShiftSample } from './filters.ts';
import { isScene, weightOf, type Photograph } from './photographs.ts';
import { randomOf } from './random.ts';

const NO_TINT = { warm: 0, tint: 0 };

/** Trains the filters that say how likely each cast is. */
export function trainCasts(photographs: readonly Photograph[]): Float32Array {
  const random = randomOf(1);
  const samples = photographs.filter(isScene).flatMap((photograph): ShiftSample[] => {
    const { planes } = photograph;
    const weight = weightOf(photograph);
    const lights = [0, 1].map(() => ({
      stops: random.between(-1, 0.7),
      warm: random.normal(0.45),
      tint: random.normal(0.12),
    }));
    return [
      { histograms: colours.colourHistograms(squareOf(planes)), shift: [0, 0], weight },
      ...lights.map((light): ShiftSample => {
        const [red, blue] = [light.warm / 2 - light.tint, -light.warm / 2 - light.tint];
        const shift = [red / colours.BIN_WIDTH, blue / colours.BIN_WIDTH] as const;
        return { histograms: colours.colourHistograms(squareOf(inLight(planes, light))), shift, weight: 0.7 * weight };
      }),
    ];
  });
  console.log(`${samples.length} samples of casts`);
  return fitFilters(samples, { columns: colours.BINS, decay: 1e-4, roughness: 1e-4, spread: 0.63, rounds: 50 });
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
