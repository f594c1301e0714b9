import { doublingNetwork } from '../../neural/networks.ts';
import type { NamedNetwork } from '../../neural/networks.ts';
import type { ModelSet } from '../../neural/model-set.ts';
import { costOfDoubling, costOfWays, planDoublings, planWays } from '../../neural/plan-doublings.ts';
import type { AskedTier, NetworkTier, Tier } from '../../neural/plan-doublings.ts';
import { isNarrow } from '../../neural/tiles.ts';
import type { DenoiseLevel } from '../../neural/waifu2x-models.ts';
import { levelFor, needsFineAlone, suitedTier, type Damage } from './damage.ts';
import { doubleBy } from './double.ts';
import { keepFlat } from './keep-flat.ts';
import { isLight, type Picture } from '../picture.ts';
import { upscale } from './upscale.ts';

export interface EnlargeOptions {
  /** 2 or 4 */
  scale: number;
  asked: AskedTier;
  models: ModelSet;
  damage: Damage;
  onPart?: (part: number) => void;
}

export interface Enlarged {
  picture: Picture;
  /** Names of the networks used, in order, each once */
  models: string[];
  /** A required network failed to load, so another network or interpolation replaced it */
  fellBack: boolean;
  note: string;
}

/**
 * Enlarges a picture by repeated doubling, each with the best available tier, or by the mean of two tiers. CMYK is
 * interpolated, since the networks require RGB.
 */
export async function enlarge(picture: Picture, options: EnlargeOptions): Promise<Enlarged> {
  const { scale, asked, models, damage, onPart } = options;
  const suited = suitedTier(damage);
  const tiers = planDoublings({ pixels: picture.width * picture.height, scale, asked, suited, models });
  const narrow = isNarrow(picture);
  if (!isLight(picture) || narrow || tiers.every((tier) => tier === 'plain')) {
    const missing = asked === 'PLAIN' ? '' : narrow ? ': it is too narrow for a network' : ': no network is available';
    const because = picture.space === 'cmyk' ? ': it is in CMYK' : missing;
    const result = await upscale(picture, scale, onPart);
    return { picture: result, models: [], fellBack: false, note: `Enlarged by interpolation${because}.` };
  }
  const ways = needsFineAlone(damage) ? [tiers] : planWays(tiers, options);
  const parts = splitProgress(ways, onPart);
  const results = [];
  for (const [i, way] of ways.entries()) results.push(await enlargeBy(way, picture, options, parts[i]!));
  const names = [...new Set(results.flatMap((each) => each.names))];
  const fellBack = results.some((each) => each.fellBack);
  const why = ways.length > 1 ? ': the mean of FINE and FAST' : reason(tiers, suited, options);
  const because = fellBack ? ': a network cannot be loaded on this machine' : why;
  const enlarged = meanOf(results.map((each) => each.picture));
  keepFlat(picture, enlarged);
  return {
    picture: enlarged,
    models: names.filter((name) => name !== 'interpolation'),
    fellBack,
    note: `Enlarged by ${names.join(' and ')}${because}.`,
  };
}

/** Doubles a picture once for each tier. @param parts takes the progress of each doubling */
async function enlargeBy(
  tiers: readonly Tier[],
  picture: Picture,
  { models, damage }: EnlargeOptions,
  parts: readonly ((part: number) => void)[],
): Promise<{ picture: Picture; names: string[]; fellBack: boolean }> {
  const names: string[] = [];
  let result = picture;
  let fellBack = false;
  for (const [i, tier] of tiers.entries()) {
    const { network, asPlanned } = await networkFor(models, tier, i === 0 ? levelFor(damage) : 'none');
    result = network ? await doubleBy(network, result, parts[i]) : await upscale(result, 2, parts[i]);
    fellBack ||= !asPlanned;
    names.push(network?.name ?? 'interpolation');
  }
  return { picture: result, names, fellBack };
}

/** The mean of one or two pictures of equal size; it takes the place of the first one. */
function meanOf([first, second]: readonly Picture[]): Picture {
  if (second !== undefined)
    for (let i = 0; i < first!.data.length; i += 1) first!.data[i] = (first!.data[i]! + second.data[i]! + 1) >> 1;
  return first!;
}

/** Returns the reason for another tier than `fine`, if the request allowed `fine`. */
function reason(tiers: readonly Tier[], suited: NetworkTier, { asked, models, damage }: EnlargeOptions): string {
  if ((asked !== 'FINE' && asked !== 'AUTO') || tiers.every((tier) => tier === 'fine')) return '';
  if (asked === 'AUTO' && suited === 'fast')
    return `: for a photograph from a JPEG of quality ${damage.quality}, FAST gives the better result`;
  if (models.fine === null) return ': the tier FINE is not available here';
  return ': the picture is too large for the tier FINE alone';
}

/**
 * Returns the network of a tier, or of the next one when it fails to load. A machine that cannot run networks continues
 * without one.
 */
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

function splitProgress(ways: readonly Tier[][], onPart: EnlargeOptions['onPart']): ((part: number) => void)[][] {
  const total = costOfWays(ways);
  let planned = 0;
  return ways.map((tiers) =>
    tiers.map((tier, i) => {
      const [before, cost] = [planned, costOfDoubling(tier, i)];
      planned += cost;
      return (part) => onPart?.((before + cost * part) / total);
    }),
  );
}
