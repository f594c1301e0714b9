import { doublingNetwork } from '../../neural/networks.ts';
import type { NamedNetwork } from '../../neural/networks.ts';
import type { ModelSet } from '../../neural/model-set.ts';
import { planDoublings, TIER_COST } from '../../neural/plan-doublings.ts';
import type { AskedTier, Tier } from '../../neural/plan-doublings.ts';
import type { DenoiseLevel } from '../../neural/waifu2x-models.ts';
import { doubleBy } from './double.ts';
import { isLight, type Picture } from '../picture.ts';
import { upscale } from './upscale.ts';

export interface EnlargeOptions {
  /** 2 or 4 */
  scale: number;
  asked: AskedTier;
  models: ModelSet;
  /** What the first doubling takes out besides */
  level: DenoiseLevel;
  onPart?: (part: number) => void;
}

export interface Enlarged {
  picture: Picture;
  /** Networks that did it, in order, each once */
  models: string[];
  /** A network that should be there could not be loaded, so another or none did its work */
  fellBack: boolean;
  /** A sentence about how it was done */
  note: string;
}

/** Pixels of the shorter side below which, and of the longer side beyond which, a picture is too narrow for a network. */
const LEAST_SIDE = 8;
const LONG_SIDE = 256;

/** Enlarges a picture, doubling by doubling, each by the best tier that may be had for it. CMYK is interpolated, since networks know RGB. */
export async function enlarge(picture: Picture, options: EnlargeOptions): Promise<Enlarged> {
  const { scale, asked, models, level, onPart } = options;
  const tiers = planDoublings({ pixels: picture.width * picture.height, scale, asked, models });
  const narrow = isNarrow(picture);
  if (!isLight(picture) || narrow || tiers.every((tier) => tier === 'plain')) {
    const missing = asked === 'PLAIN' ? '' : narrow ? ': it is too narrow for a network' : ': no network is there';
    const because = picture.space === 'cmyk' ? ': it is in CMYK' : missing;
    const result = await upscale(picture, scale, onPart);
    return { picture: result, models: [], fellBack: false, note: `Enlarged by interpolation${because}.` };
  }
  const names = new Set<string>();
  const parts = partsOf(tiers, onPart);
  let result = picture;
  let fellBack = false;
  for (const [i, tier] of tiers.entries()) {
    // What could be taken out is gone after the first time.
    const { network, asPlanned } = await networkFor(models, tier, i === 0 ? level : 'none');
    result = network ? await doubleBy(network, result, parts[i]) : await upscale(result, 2, parts[i]);
    fellBack ||= !asPlanned;
    names.add(network?.name ?? 'interpolation');
  }
  const because = fellBack ? ': a network cannot be loaded on this machine' : reason(tiers, options);
  return {
    picture: result,
    models: [...names].filter((name) => name !== 'interpolation'),
    fellBack,
    note: `Enlarged by ${[...names].join(' and ')}${because}.`,
  };
}

/** In a long and thin picture, a network would spend most of its work on margins, in which nothing is to be seen. */
function isNarrow({ width, height }: Picture): boolean {
  return Math.min(width, height) < LEAST_SIDE && Math.max(width, height) > LONG_SIDE;
}

/** Why it was not the tier `fine`, where that was wanted. */
function reason(tiers: readonly Tier[], { asked, models }: EnlargeOptions): string {
  if ((asked !== 'FINE' && asked !== 'AUTO') || tiers.every((tier) => tier === 'fine')) return '';
  return models.fine === null
    ? ': the tier FINE cannot be had here'
    : ': the picture is too large for the tier FINE alone';
}

/** The network of a tier, or of the next one when it cannot be loaded; a machine that can run none continues without a network. */
async function networkFor(
  models: ModelSet,
  tier: Tier,
  level: DenoiseLevel,
): Promise<{ network: NamedNetwork | undefined; asPlanned: boolean }> {
  const tiers = ({ fine: ['fine', 'fast'], fast: ['fast'], plain: [] } as const)[tier];
  for (const each of tiers) {
    const network = await doublingNetwork(models, each, level).catch(() => undefined);
    if (network) return { network, asPlanned: each === tier };
  }
  return { network: undefined, asPlanned: tier === 'plain' };
}

/** A part of the whole for each doubling, as wide as the work in it. */
function partsOf(tiers: readonly Tier[], onPart: EnlargeOptions['onPart']): ((part: number) => void)[] {
  const costs = tiers.map((tier, i) => TIER_COST[tier] * 4 ** i);
  const total = costs.reduce((a, b) => a + b, 0);
  return costs.map((cost, i) => {
    const before = costs.slice(0, i).reduce((a, b) => a + b, 0);
    return (part) => onPart?.((before + cost * part) / total);
  });
}
