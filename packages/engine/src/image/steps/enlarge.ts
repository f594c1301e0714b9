import type { EnlargingNote, EnlargingReason } from '@burnish/contract/engine';
import { detailNetwork, doublingNetwork, type NamedNetwork } from '../../neural/networks.ts';
import type { ModelSet } from '../../neural/model-set.ts';
import {
  costOfDoubling,
  costOfWays,
  isDetailed,
  MAX_DETAIL_PIXELS,
  planDoublings,
  planWays,
  type TierParameter,
  type DoublingTier,
  type NetworkTier,
} from '../../neural/plan-doublings.ts';
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
  asked: TierParameter;
  models: ModelSet;
  damage: Damage;
  /** Pixels of the whole picture, which decide over the tiers; by default those of the part */
  pixels?: number;
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
  const { pixels = picture.width * picture.height } = options;
  const order = { pixels, scale, asked, suited, models };
  const tiers = planDoublings(order);
  // Letters and lines must not be invented.
  const detailed = isDetailed(order) && !damage.drawing;
  if (!isLight(picture) || isNarrow(picture) || (!detailed && tiers.every((tier) => tier === 'plain'))) {
    const note = { by: [INTERPOLATION], ...explainWay(picture, tiers, suited, options) };
    return { picture: await upscale(picture, scale, onPart), models: [], fellBack: false, note };
  }
  if (detailed) return enlargeInDetail(picture, options);
  const ways = needsFineAlone(damage) ? [tiers] : planWays(tiers, options);
  const parts = splitProgress(ways, onPart);
  const results = [];
  for (const [i, way] of ways.entries()) results.push(await enlargeBy(way, picture, options, parts[i]!));
  const names = [...new Set(results.flatMap((each) => each.names))];
  const fellBack = results.some((each) => each.fellBack);
  const isMean = ways.length > 1 && asked !== 'DETAIL';
  const why = isMean ? ({ code: 'ENLARGED', because: 'mean' } as const) : explainWay(picture, tiers, suited, options);
  const enlarged = meanOf(results.map((each) => each.picture));
  keepFlat(picture, enlarged);
  return {
    picture: enlarged,
    models: names.filter((name) => name !== INTERPOLATION),
    fellBack,
    note: { by: names, ...(fellBack ? { code: 'ENLARGED', because: 'network-failed' } : why) },
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

/** Gives the reason for another way than the requested tier, and than `fine` with `AUTO`. */
function explainWay(
  picture: Picture,
  tiers: readonly DoublingTier[],
  suited: NetworkTier,
  { asked, models, damage }: EnlargeOptions,
): WithoutNames<EnlargingNote> {
  const because = (reason: EnlargingReason | null) => ({ code: 'ENLARGED', because: reason }) as const;
  if (!isLight(picture)) return because('inks');
  if (asked === 'PLAIN') return because(null);
  if (isNarrow(picture)) return because('narrow');
  if (asked === 'DETAIL' && models.detail !== null)
    return damage.drawing ? because('drawing') : { code: 'ENLARGED_WITHOUT_DETAIL', mostPixels: MAX_DETAIL_PIXELS };
  if (tiers.every((tier) => tier === 'plain')) return because('no-network');
  if (asked === 'DETAIL') return because(damage.drawing ? 'drawing' : 'no-detail');
  if (asked === 'FAST' || tiers.every((tier) => tier === 'fine')) return because(null);
  if (asked === 'AUTO' && suited === 'fast' && damage.quality !== undefined)
    return { code: 'ENLARGED_FROM_JPEG', quality: damage.quality };
  return because(models.fine === null ? 'no-fine' : 'too-large-for-fine');
}

/** A note before the names of networks are known. */
type WithoutNames<Note> = Note extends { by: unknown } ? Omit<Note, 'by'> : never;

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
