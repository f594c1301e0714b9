import type { NamedNetwork } from '../../neural/networks.ts';
import { runTiled } from '../../neural/tiles.ts';
import { fillTransparent } from './fill-transparent.ts';
import { colourChannels, emptySamples, type Picture } from '../picture.ts';
import { resample } from '../filters/resample.ts';

/**
 * Enlarges a picture with a network, by its scale. Alpha is interpolated. Before the network runs, visible colours are extended into
 * transparent pixels, so that hidden colours cause no fringe. Fully transparent pixels of the result are black.
 */
export async function enlargeWith(
  network: NamedNetwork,
  picture: Picture,
  onPart?: (part: number) => void,
): Promise<Picture> {
  if (!picture.hasAlpha) return runTiled(picture, network, onPart);
  const filled = { ...picture, data: picture.data.slice() };
  fillTransparent(filled, network.margin + 1);
  const result = await runTiled(filled, network, onPart);
  const { data: alpha } = resample(extractAlpha(picture), result.width, result.height);
  const { channels } = picture;
  for (let i = 0, at = 0; i < alpha.length; i += 1, at += channels) {
    result.data[at + channels - 1] = alpha[i]!;
    if (alpha[i] === 0) result.data.fill(0, at, at + channels - 1);
  }
  return result;
}

function extractAlpha(picture: Picture): Picture {
  const { width, height, channels } = picture;
  const data = emptySamples(picture, width * height);
  for (let i = 0; i < data.length; i += 1) data[i] = picture.data[i * channels + colourChannels(picture)]!;
  return { data, width, height, channels: 1, space: 'grey', hasAlpha: false };
}
