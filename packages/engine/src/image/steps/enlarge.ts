import type { EnlargingNote, EnlargingReason } from '../../contract/notes.ts';
import { detailNetwork, doublingNetwork } from '../../neural/networks.ts';
import type { NamedNetwork } from '../../neural/networks.ts';
import type { ModelSet } from '../../neural/model-set.ts';
import { costOfDoubling, costOfWays, isDetailed, planDoublings, planWays } from '../../neural/plan-doublings.ts';
import type { AskedTier, DoublingTier, NetworkTier } from '../../neural/plan-doublings.ts';
import { isNarrow } from '../../neural/tiles.ts';
import type { DenoiseLevel } from '../../neural/waifu2x-models.ts';
import { levelFor, needsFineAlone, suitedTier, type Damage } from './damage.ts';
import { enlargeWith } from './enlarge-with.ts';
import { keepFlat } from './keep-flat.ts';
import { isLight, type Picture } from '../picture.ts';
import { returnTexture } from './return-texture.ts';
import { upscale } from './upscale.ts';

/** The name of an enlargement without a network, among those of networks. */
const INTERPOLATION = 'interpolation';

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
  note: EnlargingNote;
}

/**
 * Enlarges a picture by repeated doubling, each with the best available tier, by the mean of two tiers, or at once by the tier
 * `DETAIL`. CMYK is interpolated, since the networks require RGB.
 */
export async function enlarge(picture: Picture, options: EnlargeOptions): Promise<Enlarged> {
  const { scale, asked, models, damage, onPart } = options;
  const suited = suitedTier(damage);
  const order = { pixels: picture.width * picture.height, scale, asked, suited, models };
  const tiers = planDoublings(order);
  const narrow = isNarrow(picture);
  // Letters and lines must not be invented.
  const detailed = isDetailed(order) && !damage.drawing;
  if (!isLight(picture) || narrow || (!detailed && tiers.every((tier) => tier === 'plain'))) {
    const missing = asked === 'PLAIN' ? null : narrow ? 'narrow' : 'no-network';
    const because = picture.space === 'cmyk' ? 'inks' : missing;
    const result = await upscale(picture, scale, onPart);
    return { picture: result, models: [], fellBack: false, note: { code: 'ENLARGED', by: [INTERPOLATION], because } };
  }
  if (detailed) return enlargeInDetail(picture, options);
  const ways = needsFineAlone(damage) ? [tiers] : planWays(tiers, options);
  const parts = splitProgress(ways, onPart);
  const results = [];
  for (const [i, way] of ways.entries()) results.push(await enlargeBy(way, picture, options, parts[i]!));
  const names = [...new Set(results.flatMap((each) => each.names))];
  const fellBack = results.some((each) => each.fellBack);
  const isMean = ways.length > 1 && asked !== 'DETAIL';
  const why = isMean ? 'mean' : findReason(tiers, suited, options);
  const because = fellBack ? 'network-failed' : why;
  const enlarged = meanOf(results.map((each) => each.picture));
  keepFlat(picture, enlarged);
  return {
    picture: enlarged,
    models: names.filter((name) => name !== INTERPOLATION),
    fellBack,
    note:
      typeof because === 'object' && because !== null
        ? { code: 'ENLARGED_FROM_JPEG', by: names, ...because }
        : { code: 'ENLARGED', by: names, because },
  };
}

/** Enlarges a picture by the network that may invent detail, or without it when it fails to load. */
async function enlargeInDetail(picture: Picture, options: EnlargeOptions): Promise<Enlarged> {
  const { scale, models, damage, onPart } = options;
  const network = await detailNetwork(models, scale).catch(() => undefined);
  if (!network)
    return { ...(await enlarge(picture, { ...options, models: { ...models, detail: null } })), fellBack: true };
  const enlarged = await enlargeWith(network, picture, onPart);
  // Of a damaged picture, the damage would return too.
  if (levelFor(damage) === 0) returnTexture(picture, enlarged);
  keepFlat(picture, enlarged);
  return {
    picture: enlarged,
    models: [network.name],
    fellBack: false,
    note: { code: 'ENLARGED_IN_DETAIL', by: [network.name] },
  };
}

/** Doubles a picture once for each tier. @param parts takes the progress of each doubling */
async function enlargeBy(
  tiers: readonly DoublingTier[],
  picture: Picture,
  { models, damage }: EnlargeOptions,
  parts: readonly ((part: number) => void)[],
): Promise<{ picture: Picture; names: string[]; fellBack: boolean }> {
  const names: string[] = [];
  let result = picture;
  let fellBack = false;
  for (const [i, tier] of tiers.entries()) {
    const { network, asPlanned } = await networkFor(models, tier, i === 0 ? levelFor(damage) : 'none');
    result = network ? await enlargeWith(network, result, parts[i]) : await upscale(result, 2, parts[i]);
    fellBack ||= !asPlanned;
    names.push(network?.name ?? INTERPOLATION);
  }
  return { picture: result, names, fellBack };
}

/** The mean of one or two pictures of equal size; it takes the place of the first one. */
function meanOf([first, second]: readonly Picture[]): Picture {
  if (second !== undefined)
    for (let i = 0; i < first!.data.length; i += 1) first!.data[i] = (first!.data[i]! + second.data[i]! + 1) >> 1;
  return first!;
}

/**
 * Returns the reason for another tier than the requested one, and than `fine` with `AUTO`: for a photograph from a JPEG, the
 * quality of that.
 */
function findReason(
  tiers: readonly DoublingTier[],
  suited: NetworkTier,
  { asked, models, damage }: EnlargeOptions,
): EnlargingReason | { quality: number } | null {
  if (asked === 'DETAIL') {
    if (damage.drawing) return 'drawing';
    return models.detail === null ? 'no-detail' : 'too-large-for-detail';
  }
  if ((asked !== 'FINE' && asked !== 'AUTO') || tiers.every((tier) => tier === 'fine')) return null;
  if (asked === 'AUTO' && suited === 'fast' && damage.quality !== undefined) return { quality: damage.quality };
  return models.fine === null ? 'no-fine' : 'too-large-for-fine';
}

/**
 * Returns the network of a tier, or of the next one when it fails to load. A machine that cannot run networks continues
 * without one.
 */
async function networkFor(
  models: ModelSet,
  tier: DoublingTier,
  level: DenoiseLevel,
): Promise<{ network: NamedNetwork | undefined; asPlanned: boolean }> {
  const tiers = ({ fine: ['fine', 'fast'], fast: ['fast'], plain: [] } as const)[tier];
  for (const each of tiers) {
    const network = await doublingNetwork(models, each, level).catch(() => undefined);
    if (network) return { network, asPlanned: each === tier };
  }
  return { network: undefined, asPlanned: tier === 'plain' };
}

function splitProgress(
  ways: readonly DoublingTier[][],
  onPart: EnlargeOptions['onPart'],
): ((part: number) => void)[][] {
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
