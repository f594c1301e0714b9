import type { ImageParameters } from '@burnish/contract/engine';
import type { ModelSet } from './model-set.ts';

export type TierParameter = ImageParameters['engineTier'];
export type NetworkTier = 'fine' | 'fast';
/** A tier that doubles a picture, once or twice. */
export type DoublingTier = NetworkTier | 'plain';

/**
 * Maximum result pixels of the tier `fine` for one picture, including intermediate results: 12 megapixels doubled. They
 * take about a minute of one core (docs/images.md); a machine four times slower still stays within a task's time limit.
 */
export const MAX_FINE_PIXELS = 50_000_000;

/** Maximum pixels of a picture for the tier `detail`. Its network makes 16 of each, in up to two minutes of one core. */
export const MAX_DETAIL_PIXELS = 6_250_000;

/** Approximate CPU milliseconds per megapixel of a doubled picture, for the progress bar. */
export const TIER_COST: Readonly<Record<DoublingTier, number>> = { fine: 870, fast: 300, plain: 40 };

/** The same per megapixel of a picture before the tier `detail` enlarges it, by any factor. */
const DETAIL_COST = 17_000;

export interface PlanOrder {
  /** Pixels of the picture before its enlargement */
  pixels: number;
  /** Enlargement factor of width and height: 1, 2 or 4 */
  scale: number;
  asked: TierParameter;
  /** The tier that `AUTO` stands for; by default `fine` */
  suited?: NetworkTier;
  models: ModelSet;
}

/** Returns whether the network of the tier `detail` enlarges a picture. It never does unless the order asks for it. */
export const isDetailed = ({ pixels, scale, asked, models }: Omit<PlanOrder, 'suited'>): boolean =>
  asked === 'DETAIL' && scale > 1 && models.detail !== null && pixels <= MAX_DETAIL_PIXELS;

/**
 * Chooses the tier of each doubling of a picture, in order. Where `DETAIL` is not possible, the choice is that of `AUTO`.
 * @returns empty for a scale of 1; only `plain` when no network is requested or available
 */
export function planDoublings({ pixels, scale, asked, suited = 'fine', models }: PlanOrder): DoublingTier[] {
  const fallback: DoublingTier = asked === 'PLAIN' || models.fast === null ? 'plain' : 'fast';
  const isFree = asked === 'AUTO' || asked === 'DETAIL';
  const wanted = asked === 'FINE' || (isFree && (suited === 'fine' || fallback === 'plain'));
  const fine = wanted && models.fine !== null;
  const tiers: DoublingTier[] = [];
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
 * chosen. The errors of both networks differ, so the mean is better than either alone on most photographs (docs/images.md).
 */
export function planWays(
  tiers: DoublingTier[],
  { asked, scale, models }: Pick<PlanOrder, 'asked' | 'scale' | 'models'>,
): DoublingTier[][] {
  const isMean = asked !== 'FINE' && scale === 4 && models.fast !== null && tiers.every((tier) => tier === 'fine');
  return isMean ? [tiers, tiers.map(() => 'fast')] : [tiers];
}

/** Returns approximate CPU milliseconds per megapixel of a picture before its enlargement. @param i 0 for the first doubling */
export const costOfDoubling = (tier: DoublingTier, i: number): number => TIER_COST[tier] * 4 ** (i + 1);

/** Returns approximate CPU milliseconds per megapixel of a picture before its enlargement. */
export const costOfWays = (ways: readonly DoublingTier[][]): number =>
  ways.flatMap((tiers) => tiers.map(costOfDoubling)).reduce((sum, each) => sum + each, 0);

/** The same for the enlargement that an order asks for. */
export const costOfEnlarging = (order: PlanOrder): number =>
  isDetailed(order) ? DETAIL_COST : costOfWays(planWays(planDoublings(order), order));
