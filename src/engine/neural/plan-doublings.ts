import type { ImageParameters } from '../contract/parameters.ts';
import type { ModelSet } from './model-set.ts';

export type AskedTier = ImageParameters['engineTier'];
export type NetworkTier = 'fine' | 'fast';
export type Tier = NetworkTier | 'plain';

/**
 * Maximum result pixels of the tier `fine` for one picture, including intermediate results: 12 megapixels doubled. They
 * take about a minute of one core (docs/engine.md); a machine four times slower still stays within a task's time limit.
 */
export const MAX_FINE_PIXELS = 50_000_000;

/** Approximate CPU milliseconds per megapixel of the result, for the progress bar. */
export const TIER_COST: Readonly<Record<Tier, number>> = { fine: 870, fast: 300, plain: 40 };

export interface PlanOrder {
  /** Pixels of the picture before its enlargement */
  pixels: number;
  /** Enlargement factor of width and height: 1, 2 or 4 */
  scale: number;
  asked: AskedTier;
  /** The tier that `AUTO` stands for; by default `fine` */
  suited?: NetworkTier;
  models: ModelSet;
}

/**
 * Chooses the tier of each doubling of a picture, in order.
 * @returns empty for a scale of 1; only `plain` when no network is requested or available
 */
export function planDoublings({ pixels, scale, asked, suited = 'fine', models }: PlanOrder): Tier[] {
  const fallback: Tier = asked === 'PLAIN' || models.fast === null ? 'plain' : 'fast';
  const wanted = asked === 'FINE' || (asked === 'AUTO' && (suited === 'fine' || fallback === 'plain'));
  const fine = wanted && models.fine !== null;
  const tiers: Tier[] = [];
  let spent = 0;
  for (let side = 2; side <= scale; side *= 2) {
    const made = pixels * side * side;
    const affordable = fine && spent + made <= MAX_FINE_PIXELS;
    if (affordable) spent += made;
    tiers.push(affordable ? 'fine' : fallback);
  }
  return tiers;
}

/**
 * Returns the ways whose mean is the result: the planned doublings, and those of `fast` beside two of `fine` that `AUTO` has
 * chosen. The errors of both networks differ, so the mean is better than either alone on most photographs (docs/engine.md).
 */
export function planWays(
  tiers: Tier[],
  { asked, scale, models }: Pick<PlanOrder, 'asked' | 'scale' | 'models'>,
): Tier[][] {
  const isMean = asked === 'AUTO' && scale === 4 && models.fast !== null && tiers.every((tier) => tier === 'fine');
  return isMean ? [tiers, tiers.map(() => 'fast')] : [tiers];
}

/** Returns approximate CPU milliseconds per megapixel of a picture before its enlargement. @param i 0 for the first doubling */
export const costOfDoubling = (tier: Tier, i: number): number => TIER_COST[tier] * 4 ** (i + 1);

/** Returns approximate CPU milliseconds per megapixel of a picture before its enlargement. */
export const costOfWays = (ways: readonly Tier[][]): number =>
  ways.flatMap((tiers) => tiers.map(costOfDoubling)).reduce((sum, each) => sum + each, 0);
