import { join } from 'node:path';
import { engineSizing } from '../sizing.ts';
import type { ModelSet } from './model-set.ts';
import { loadNetwork } from './network.ts';
import type { TiledNetwork } from './tiles.ts';
import { DOUBLING_MODELS, REPAIRING_MODELS, WAIFU2X_TILING } from './waifu2x-models.ts';
import type { DenoiseLevel, Waifu2xModel } from './waifu2x-models.ts';

export interface NamedNetwork extends TiledNetwork {
  /** Name in the record of an enhancement */
  name: string;
}

/**
 * Loads a network that doubles a picture.
 * @param level denoise level of a network of the tier `fine`; `fast` has only one level
 * @throws Error when it is missing or cannot run on this machine
 */
export async function doublingNetwork(
  { fine, fast }: ModelSet,
  tier: 'fine' | 'fast',
  level: DenoiseLevel,
): Promise<NamedNetwork> {
  if (tier === 'fast') {
    if (fast === null) throw new Error('There is no fast network.');
    const { path, ...rest } = fast;
    return { ...(await loadNetwork(path, engineSizing().neuralThreads)), ...rest, scale: 2 };
  }
  if (fine === null) throw new Error('There are no fine networks.');
  return waifu2x(fine, DOUBLING_MODELS[level]);
}

/**
 * Loads a network that removes compression artefacts from a picture at its size.
 * @throws Error when it is missing or cannot run on this machine
 */
export async function repairingNetwork({ fine }: ModelSet, level: 1 | 3): Promise<NamedNetwork> {
  if (fine === null) throw new Error('There are no fine networks.');
  return waifu2x(fine, REPAIRING_MODELS[level]);
}

async function waifu2x(folder: string, { name, file, sameSize }: Waifu2xModel): Promise<NamedNetwork> {
  const network = await loadNetwork(join(folder, file), engineSizing().neuralThreads);
  return { ...network, name, scale: sameSize ? 1 : 2, ...WAIFU2X_TILING };
}
