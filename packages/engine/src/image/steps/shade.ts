import { ramp } from '../ramps.ts';

/** Offset added to the brightness, 0..1, before taking its logarithm, so that black has one. */
export const TOE = 0.02;
/** Coded brightness of the middle, to which shade rises. */
const PIVOT = 0.48;
export const LOG_PIVOT = Math.log(PIVOT + TOE);
/**
 * Shares of the picture that are darker than its shade, and by how much less depth is accepted there, as a logarithm. The rest of the
 * dark is small or empty.
 */
const SHADES = [
  { part: 0.2, less: 0 },
  { part: 0.5, less: 0.6 * Math.LN2 },
] as const;
/** Log brightness of a dark cell that is black, and of one that may be in the shade. */
const LOG_BLACK = [Math.log(0.012 + TOE), Math.log(0.042 + TOE)] as const;
/** Steps of a logarithm of depth in which cells are counted. */
const DEPTH_STEPS = 64;
/** Part of its depth by which a cell rises at most. */
const MOST_AMOUNT = 0.55;

/** Properties of each cell from which its shade follows. */
export interface Shades {
  /** Log brightness */
  log: Float32Array;
  /** Logarithm by which its illumination lies below the middle */
  below: Float32Array;
  /** Contrast around it, 0..1 */
  contrast: Float32Array;
  /** Share of its gain, 0..1 */
  share: Float32Array;
  opaque: Uint8Array;
}

/** Returns the log gain of a cell. @param deepest depth from which all cells have the same gain */
export const liftOf =
  ({ below, share }: Shades, amount: number, deepest: number) =>
  (cell: number): number =>
    amount * share[cell]! * Math.min(deepest, Math.max(0, below[cell]!));

/** Returns the share, 0..1, that a cell of a depth has in the shade. Cells that are lighter than the middle count in full. */
const weightOf = (log: number, depth: number, contrast: number): number =>
  depth > 0 ? contrast * ramp(log, LOG_BLACK) : 1;

/**
 * Returns false where no contrast that is smaller than the given one makes the shade deeper than accepted: even when only the cells that
 * are deeper keep their contrast, there are too few of them beside the light ones.
 */
export function mayBeDeep({ log, below, contrast, opaque }: Omit<Shades, 'share'>, accepted: number): boolean {
  let light = 0;
  const deeper = SHADES.map(() => 0);
  for (let i = 0; i < below.length; i += 1) {
    const depth = below[i]!;
    const weight = opaque[i]! * weightOf(log[i]!, depth, contrast[i]!);
    if (depth <= 0) light += weight;
    else
      for (let n = 0; n < SHADES.length; n += 1)
        if (depth > accepted - SHADES[n]!.less - 1 / DEPTH_STEPS) deeper[n]! += weight;
  }
  return SHADES.some(({ part }, n) => deeper[n]! > part * (deeper[n]! + light));
}

/** Halvings of the range in which an amount is sought. */
const HALVINGS = 7;

/** Returns the smallest part of the depth of its illumination by which each cell has to rise, for the shade to be as deep as accepted. */
export function leastAmount(shades: Shades, shade: number, accepted: number): number {
  const isAccepted = (lift?: (cell: number) => number): boolean =>
    SHADES.every(({ part, less }) => shadeDepth(shades, part, lift) <= accepted - less);
  if (isAccepted()) return 0;
  let [low, high] = [0, MOST_AMOUNT];
  for (let n = 0; n < HALVINGS; n += 1) {
    const amount = (low + high) / 2;
    if (isAccepted(liftOf(shades, amount, shade))) high = amount;
    else low = amount;
  }
  return high;
}

/**
 * Returns the depth of the shade below the middle, 0 for none. A part of the cells with contrast lies deeper; black cells do not count.
 * @param lift log gain of a cell
 */
export function shadeDepth(
  { log, below, contrast, opaque }: Shades,
  part: number = SHADES[0].part,
  lift: (cell: number) => number = () => 0,
): number {
  const counts = new Float64Array(Math.ceil(DEPTH_STEPS * (1 + LOG_PIVOT - Math.log(TOE))));
  let sum = 0;
  for (let i = 0; i < below.length; i += 1) {
    const gain = lift(i);
    const depth = below[i]! - gain;
    const weight = opaque[i]! * weightOf(log[i]! + gain, depth, contrast[i]!);
    counts[Math.min(counts.length - 1, Math.max(0, Math.floor(depth * DEPTH_STEPS)))]! += weight;
    sum += weight;
  }
  for (let step = counts.length - 1, deeper = 0; step > 0; step -= 1) {
    const own = counts[step]!;
    if (deeper + own > part * sum) return (step + 1 - (part * sum - deeper) / own) / DEPTH_STEPS;
    deeper += own;
  }
  return 0;
}
