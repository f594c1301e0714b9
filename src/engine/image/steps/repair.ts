import type { ModelSet } from '../../neural/model-set.ts';
import { repairingNetwork } from '../../neural/networks.ts';
import { MAX_FINE_PIXELS, planDoublings, TIER_COST, type PlanOrder } from '../../neural/plan-doublings.ts';
import { runTiled } from '../../neural/tiles.ts';
import { BLOCKY, VERY_BLOCKY } from './denoise-level.ts';
import type { JpegTables } from '../codecs/jpeg.ts';
import type { Picture } from '../picture.ts';
import type { ImageFacts } from '../codecs/source.ts';

/** CPU milliseconds a megapixel, about: a network that enlarges, before its result is averaged. */
export const REPAIR_COST = 4 * TIER_COST.fine;

export interface RepairOrder extends Omit<PlanOrder, 'pixels'> {
  facts: Pick<ImageFacts, 'width' | 'height' | 'colourSpace'>;
  /** Of the JPEG, 1 to 100 */
  quality: number;
}

/**
 * What takes compression artefacts out of a JPEG: the network that enlarges it anyway, a network at the picture's size where that
 * is better and not too dear, or else the classical way.
 */
export function repairTier({ facts, quality, ...order }: RepairOrder): 'enlarging' | 'fine' | 'plain' {
  if (facts.colourSpace === 'cmyk') return 'plain';
  const pixels = facts.width * facts.height;
  const [doubling = 'plain'] = planDoublings({ ...order, pixels });
  if (doubling !== 'plain') return 'enlarging';
  const wanted = (order.asked === 'AUTO' || order.asked === 'FINE') && order.models.fine !== null;
  // Of a better JPEG, dropping what its quantiser may have made up leaves more than a network does.
  return wanted && quality < BLOCKY && pixels * 4 <= MAX_FINE_PIXELS ? 'fine' : 'plain';
}

/** Takes compression artefacts out by a network. @returns undefined where none runs on this machine */
export async function repair(
  picture: Picture,
  { quality }: JpegTables,
  models: ModelSet,
  onPart?: (part: number) => void,
): Promise<{ picture: Picture; model: string } | undefined> {
  const network = await repairingNetwork(models, quality < VERY_BLOCKY ? 3 : 1).catch(() => undefined);
  return network && { picture: await runTiled(picture, network, onPart), model: network.name };
}
