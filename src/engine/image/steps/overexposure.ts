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
 * may be before a white background. Their level is the median of the largest channel, as a share of the white of the picture.
 */
const BRIGHT = [0.35, 0.55] as const;
/** The correction grows with the clipped share. This ramp is so wide that more light hardly ever makes a result darker. */
const BURNT = [0.12, 0.3] as const;
/**
 * Level of the unclipped pixels that needs no correction, and the part of the distance to it that a plan takes: the rest keeps the
 * order of exposures.
 */
const [TARGET, PART] = [0.52, 0.7];
/** Least share of the light that dark pixels keep. */
const LEAST_SLOPE = 0.3;
/** Highest level that counts: the slope to the target has no meaning near white. */
const MOST_LEVEL = 0.97;
/** Brighter pixels lose less by this power. White stays white. */
const SHOULDER = 4;
/** Number of plans, each for the result of those before. */
const PASSES = 2;
/** Entries of the table of gains. */
const LEVELS = 1023;

/**
 * Plans the correction of an overexposed picture. The plan is made again for its own result, so that a second enhancement finds little to
 * correct.
 * @param white level of white, coded, 0..1
 * @param part of the correction, 0..1
 * @returns the gain of a pixel by its largest channel of 0..1; undefined for any other picture
 */
export function planOverexposure(
  thumbnail: ToneThumbnail,
  white: number,
  part: number,
): ((largest: number) => number) | undefined {
  const slopes: number[] = [];
  const gain = (largest: number): number =>
    slopes.reduce((own, slope) => own * gainOf(slope, (largest * own) / white), 1);
  while (slopes.length < PASSES) {
    const result = slopes.length === 0 ? thumbnail : darkened(thumbnail, gain);
    const slope = part === 0 ? 1 : 1 - part * (1 - slopeToTarget(result, white));
    if (slope === 1) break;
    slopes.push(slope);
  }
  return slopes.length === 0 ? undefined : gain;
}

/** White and brighter pixels keep their light. @param level share of white */
const gainOf = (slope: number, level: number): number => slope + (1 - slope) * Math.min(1, level) ** SHOULDER;

/** Returns the slope of the darks that brings the unclipped pixels near to their target. */
function slopeToTarget(thumbnail: ToneThumbnail, white: number): number {
  const { coloured, whites, level } = measureClipping(thumbnail, white);
  const burnt = coloured + whites * ramp(level, BRIGHT);
  const own = Math.min(MOST_LEVEL, level);
  const wanted = own - PART * ramp(burnt, BURNT) * Math.max(0, own - TARGET);
  return wanted === own ? 1 : Math.max(LEAST_SLOPE, (wanted / own - own ** SHOULDER) / (1 - own ** SHOULDER));
}

/** Returns the thumbnail of a picture after a gain by the largest channel. */
function darkened(thumbnail: ToneThumbnail, gain: (largest: number) => number): ToneThumbnail {
  const gains = Float32Array.from({ length: LEVELS + 1 }, (_, level) => gain(level / LEVELS));
  const cells = thumbnail.cells.slice();
  for (let i = 0; i < cells.length; i += 3) {
    const own = gains[((Math.max(cells[i]!, cells[i + 1]!, cells[i + 2]!) * LEVELS) / FULL) | 0]!;
    for (let c = i; c < i + 3; c += 1) cells[c] = cells[c]! * own + 0.5;
  }
  return { ...thumbnail, cells };
}

interface Clipping {
  /** Shares of the pixels whose colour is clipped, and of those that are white */
  coloured: number;
  whites: number;
  /** Median of the largest channel of the pixels that are not clipped, as a share of the level of white */
  level: number;
}

function measureClipping({ cells, opaque }: ToneThumbnail, white: number): Clipping {
  const scale = 1 / (Math.max(white, 1 / FULL) * FULL);
  const notClipped = new Float32Array(FULL + 1);
  let [count, clipped, whites] = [0, 0, 0];
  for (let cell = 0, i = 0; cell < opaque.length; cell += 1, i += 3) {
    if (opaque[cell] === 0) continue;
    const [r, g, b] = [cells[i]!, cells[i + 1]!, cells[i + 2]!];
    const largest = Math.max(r, g, b);
    const own = ramp(largest * scale, CLIPPED);
    count += 1;
    clipped += own;
    if (own > 0) whites += own * ramp(Math.min(r, g, b) * scale, WHITE);
    notClipped[largest]! += 1 - own;
  }
  return {
    coloured: (clipped - whites) / count,
    whites: whites / count,
    level: weightedMedian(notClipped, count - clipped) * scale,
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
