import type { ModelSet } from '../../neural/model-set.ts';
import { repairingNetwork } from '../../neural/networks.ts';
import { MAX_FINE_PIXELS, planDoublings, TIER_COST, type PlanOrder } from '../../neural/plan-doublings.ts';
import { runTiled } from '../../neural/tiles.ts';
import { BLOCKY, VERY_BLOCKY } from './denoise-level.ts';
import type { JpegTables } from '../codecs/jpeg.ts';
import type { Picture } from '../picture.ts';
import type { ImageFacts } from '../codecs/source.ts';

/** Approximate CPU milliseconds per megapixel: the cost of an enlarging network, whose result is then averaged. */
export const REPAIR_COST = 4 * TIER_COST.fine;

export interface RepairOrder extends Omit<PlanOrder, 'pixels'> {
  facts: Pick<ImageFacts, 'width' | 'height' | 'colourSpace'>;
  /** JPEG quality, 1 to 100 */
  quality: number;
}

/**
 * Chooses the method that removes compression artefacts from a JPEG. It is the network that enlarges it anyway, or a
 * network at the picture's size where that is better and affordable, or else the classical filter.
 */
export function repairTier({ facts, quality, ...order }: RepairOrder): 'enlarging' | 'fine' | 'plain' {
  if (facts.colourSpace === 'cmyk') return 'plain';
  const pixels = facts.width * facts.height;
  const [doubling = 'plain'] = planDoublings({ ...order, pixels });
  if (doubling !== 'plain') return 'enlarging';
  const wanted = (order.asked === 'AUTO' || order.asked === 'FINE') && order.models.fine !== null;
  // For a JPEG of higher quality, the filter on its quantisation error gives a better result than a network.
  return wanted && quality < BLOCKY && pixels * 4 <= MAX_FINE_PIXELS ? 'fine' : 'plain';
}

/** Removes compression artefacts with a network. @returns undefined when this machine can run none */
export async function repair(
  picture: Picture,
  { quality }: JpegTables,
  models: ModelSet,
  onPart?: (part: number) => void,
): Promise<{ picture: Picture; model: string } | undefined> {
  const network = await repairingNetwork(models, quality < VERY_BLOCKY ? 3 : 1).catch(() => undefined);
  return network && { picture: await runTiled(picture, network, onPart), model: network.name };
}
