import type { ModelSet } from '../../neural/model-set.ts';
import { repairingNetwork, restoringNetwork } from '../../neural/networks.ts';
import { planDoublings, TIER_COST, type PlanOrder } from '../../neural/plan-doublings.ts';
import { isNarrow, runTiled } from '../../neural/tiles.ts';
import { BLOCKY } from './damage.ts';
import { colourChannels, type Picture } from '../picture.ts';
import { keepFlat } from './keep-flat.ts';
import type { ImageFacts } from '../codecs/source.ts';

/** Approximate CPU milliseconds per megapixel, for the progress bar. */
export const NETWORK_COST = { artifacts: 4 * TIER_COST.fast, noise: 400 };

export interface RestoreOrder extends Omit<PlanOrder, 'pixels'> {
  facts: Pick<ImageFacts, 'width' | 'height' | 'colourSpace'>;
}

export function noiseMethod(order: RestoreOrder): 'network' | 'filter' {
  return suitsNetwork(order) && order.models.restore !== null ? 'network' : 'filter';
}

/**
 * Chooses the method that removes compression artefacts: the network that enlarges the picture, if one does, a network at the
 * picture's size, or the classical filter. For JPEGs of higher quality, the filter gives a better result than a network.
 * @param quality JPEG quality, 1 to 100
 */
export function artifactsMethod(order: RestoreOrder, quality: number): 'enlarging' | 'network' | 'filter' {
  const { width, height, colourSpace } = order.facts;
  const [doubling = 'plain'] = planDoublings({ ...order, pixels: width * height });
  if (doubling !== 'plain' && colourSpace !== 'cmyk') return 'enlarging';
  return suitsNetwork(order) && order.models.fast !== null && quality < BLOCKY ? 'network' : 'filter';
}

const suitsNetwork = ({ facts, asked }: RestoreOrder): boolean =>
  asked !== 'PLAIN' && facts.colourSpace !== 'cmyk' && !isNarrow(facts);

/**
 * Removes compression artefacts or noise with a network, in place. Alpha stays.
 * @param share 0 to 1: the part of the network's correction to apply
 * @returns the name of the network, or undefined when this machine cannot run it
 */
export async function restore(
  picture: Picture,
  damage: 'artifacts' | 'noise',
  { models, share, onPart }: { models: ModelSet; share: number; onPart?: (part: number) => void },
): Promise<string | undefined> {
  const open = damage === 'artifacts' ? repairingNetwork : restoringNetwork;
  const network = await open(models).catch(() => undefined);
  if (!network) return undefined;
  const answer = await runTiled(picture, network, onPart);
  keepFlat(picture, answer);
  const { data: restored } = answer;
  const { data, channels } = picture;
  const colours = colourChannels(picture);
  for (let pixel = 0; pixel < data.length; pixel += channels) {
    for (let i = pixel; i < pixel + colours; i += 1) data[i] = data[i]! + share * (restored[i]! - data[i]!) + 0.5;
  }
  return network.name;
}
