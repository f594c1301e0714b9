import { LUMA } from './curves.ts';
import { ramp } from './light-colour.ts';
import { FULL } from './tone-thumbnail.ts';
import type { ToneThumbnail } from './tone-thumbnail.ts';

/**
 * A pixel is clipped if its largest channel is near the white of the picture, and white if its smallest channel is near it too. The ranges
 * are shares of that white, so a clipped picture stays clipped when its light is reduced later.
 */
const CLIPPED = [0.97, 0.99] as const;
const WHITE = [0.85, 0.93] as const;
/**
 * Clipped colours show that a picture has too much light. White shows it as far as the unclipped pixels are bright too, since an object
 * may be before a white background. Medians of luma are shares of the white of the picture.
 */
const BRIGHT = [0.45, 0.7] as const;
/** The correction grows with the clipped share. This ramp is so wide that more light hardly ever makes a result darker. */
const BURNT = [0.08, 0.4] as const;
/** A dark picture gets less of the correction: median of luma without white. */
const LIGHT = [0.1, 0.5] as const;
/** Share of the light of dark pixels that the correction takes at most. */
const MOST = 0.4;
/** Brighter pixels lose less by this power. White stays white. */
const SHOULDER = 4;

/**
 * Returns the slope of the darks that corrects an overexposed picture; 1 for any other.
 * @param white level of white, coded, 0..1
 * @param part of the correction, 0..1
 */
export function overexposureSlope(thumbnail: ToneThumbnail, white: number, part: number): number {
  const { coloured, whites, median, unclippedMedian } = measureClipping(thumbnail, white);
  const burnt = coloured + whites * ramp(unclippedMedian, BRIGHT);
  return 1 - part * MOST * ramp(burnt, BURNT) * ramp(median, LIGHT);
}

/** Returns the gain of a pixel with a largest channel of 0..1. White and brighter pixels keep their light. */
export function gainAgainstOverexposure(slope: number, white: number): (largest: number) => number {
  return (largest) => slope + (1 - slope) * Math.min(1, largest / white) ** SHOULDER;
}

interface Clipping {
  /** Shares of the pixels whose colour is clipped, and of those that are white */
  coloured: number;
  whites: number;
  /** Medians of luma as shares of the level of white: of all pixels but white ones, and of those that are not clipped */
  median: number;
  unclippedMedian: number;
}

function measureClipping({ cells, opaque }: ToneThumbnail, white: number): Clipping {
  const scale = 1 / (Math.max(white, 1 / FULL) * FULL);
  const [notWhite, notClipped] = [new Float32Array(FULL + 1), new Float32Array(FULL + 1)];
  let [count, clipped, whites] = [0, 0, 0];
  for (let cell = 0, i = 0; cell < opaque.length; cell += 1, i += 3) {
    if (opaque[cell] === 0) continue;
    const [r, g, b] = [cells[i]!, cells[i + 1]!, cells[i + 2]!];
    const own = ramp(Math.max(r, g, b) * scale, CLIPPED);
    const ownWhite = own === 0 ? 0 : own * ramp(Math.min(r, g, b) * scale, WHITE);
    const luma = (LUMA[0] * r + LUMA[1] * g + LUMA[2] * b + 0.5) | 0;
    count += 1;
    clipped += own;
    whites += ownWhite;
    notWhite[luma]! += 1 - ownWhite;
    notClipped[luma]! += 1 - own;
  }
  return {
    coloured: (clipped - whites) / count,
    whites: whites / count,
    median: weightedMedian(notWhite, count - whites) * scale,
    unclippedMedian: weightedMedian(notClipped, count - clipped) * scale,
  };
}

/** Returns the median of a histogram of a total weight; `FULL` for an empty one. */
function weightedMedian(histogram: Float32Array, total: number): number {
  let below = 0;
  for (let value = 0; value < FULL; value += 1) {
    below += histogram[value]!;
    if (below > total / 2) return value;
  }
  return FULL;
}
