import { join } from 'node:path';
import { engineSizing } from '../sizing.ts';
import type { BundledModel, ModelSet } from './model-set.ts';
import { loadNetwork, type Network } from './network.ts';
import type { TiledNetwork } from './tiles.ts';
import { DOUBLING_MODELS, WAIFU2X_TILING, type DenoiseLevel } from './waifu2x-models.ts';

export interface NamedNetwork extends TiledNetwork {
  name: string;
}

/**
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
    return bundled(fast, 2);
  }
  if (fine === null) throw new Error('There are no fine networks.');
  const { name, file } = DOUBLING_MODELS[level];
  return { ...(await load(join(fine, file))), name, scale: 2, ...WAIFU2X_TILING };
}

/**
 * Loads a network that removes JPEG artefacts from a picture at its size: the network `fast`, with each 2×2 pixels of its result
 * averaged.
 * @throws Error when it is missing or cannot run on this machine
 */
export async function repairingNetwork(models: ModelSet): Promise<NamedNetwork> {
  const doubling = await doublingNetwork(models, 'fast', 'none');
  const run: Network['run'] = async (samples, width, height) => halved(await doubling.run(samples, width, height));
  return { ...doubling, scale: 1, run };
}

/**
 * Loads the network of the tier `detail`. It quadruples a picture; for a scale of 2, each 2×2 pixels of its result are averaged.
 * @throws Error when it is missing or cannot run on this machine
 */
export async function detailNetwork({ detail }: ModelSet, scale: number): Promise<NamedNetwork> {
  if (detail === null) throw new Error('There is no network of the tier DETAIL.');
  const network = await bundled(detail, 4);
  if (scale === 4) return network;
  const run: Network['run'] = async (samples, width, height) => halved(await network.run(samples, width, height));
  return { ...network, scale: 2, run };
}

/** Averages each 2×2 samples of three planes of even sides. */
function halved({ samples, width }: Awaited<ReturnType<Network['run']>>): Awaited<ReturnType<Network['run']>> {
  const half = new Float32Array(samples.length / 4);
  const across = width / 2;
  for (let i = 0, above = 0; i < half.length; above += width) {
    for (let x = 0; x < across; x += 1, i += 1, above += 2) {
      half[i] = (samples[above]! + samples[above + 1]! + samples[above + width]! + samples[above + width + 1]!) / 4;
    }
  }
  return { samples: half, width: across };
}

/**
 * Loads the network that removes noise from a picture at its size.
 * @throws Error when it is missing or cannot run on this machine
 */
export async function restoringNetwork({ restore }: ModelSet): Promise<NamedNetwork> {
  if (restore === null) throw new Error('There is no restoring network.');
  return bundled(restore, 1);
}

async function bundled({ path, ...rest }: BundledModel, scale: number): Promise<NamedNetwork> {
  return { ...(await load(path)), ...rest, scale };
}

const load = (path: string): Promise<Network> => loadNetwork(path, engineSizing().neuralThreads);
