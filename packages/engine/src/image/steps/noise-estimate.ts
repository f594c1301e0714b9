import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { estimateColourNoise } from './colour-noise.ts';

const TILE = 16;
/** Maximum number of sampled tiles, spread evenly over the picture. */
const MAX_TILES = 4096;
const GUESS_TILES = 400;
/** Share of tiles with the least variation, which measure the noise; the others contain texture. */
const CALM_PART = 0.1;
/** Minimum number of tiles for an estimate. */
const LEAST_TILES = 12;

/** Noise below this is never worth a removal, so its share of texture is not measured; levels of 255. */
const LEAST_NOISE = 1;
/** Ratio of the estimates at half the size and at the full size: white noise, and the texture of foliage, fur or gravel. */
const RATIO = { noise: 0.5, texture: 2.2 } as const;

/**
 * Estimates the standard deviation of the noise in each colour channel, levels of 255. Without colour, or without enough tiles, it is
 * the estimate of white noise.
 * @param coded whether the file has a lossy coding: it removes noise from colours, so the noise of luma counts too
 */
export function estimateNoise(picture: Picture, coded = false): number[] {
  const inColours = colourChannels(picture) === 3 ? estimateColourNoise(picture) : undefined;
  if (!inColours) return estimateWhiteNoise(picture);
  return coded ? estimateWhiteNoise(picture).map((own, c) => Math.max(own, inColours[c]!)) : inColours;
}

/**
 * Estimates the standard deviation of white noise in each colour channel, in levels of 255, after Immerkær, "Fast noise
 * variance estimation" (1996). The estimate is the mean response to a mask that cancels edges and slopes, here over the
 * calmest tiles. Tiles with clipped samples, which hide noise, do not count. Without enough tiles the result is 0. At half the size,
 * noise is weaker and texture stronger, which tells their shares of the variance.
 */
export function estimateWhiteNoise(picture: Picture): number[] {
  return Array.from({ length: colourChannels(picture) }, (_, channel) => {
    const full = channelNoise(picture, channel, MAX_TILES);
    if (full < LEAST_NOISE) return full;
    const half = channelNoise(picture, channel, MAX_TILES, 2);
    const variance = ((RATIO.texture * full) ** 2 - half ** 2) / (RATIO.texture ** 2 - RATIO.noise ** 2);
    return Math.min(full, Math.sqrt(Math.max(0, variance)));
  });
}

/** Estimates the noise quickly from fewer tiles, in the green or the grey channel, levels of 255. */
export function guessNoise(picture: Picture): number {
  return channelNoise(picture, colourChannels(picture) === 1 ? 0 : 1, GUESS_TILES);
}

/** @param scale side of the blocks of samples whose means count as samples */
function channelNoise(picture: Picture, channel: number, most: number, scale = 1): number {
  const { width, height } = picture;
  const across = Math.floor((width - 2 * scale) / TILE);
  const down = Math.floor((height - 2 * scale) / TILE);
  const stride = Math.max(1, Math.round(Math.sqrt((across * down) / most)));
  const found: number[] = [];
  const side = TILE / scale + 2;
  const tile: Tile = { samples: new Float32Array(side * side), side };
  for (let j = 0; j < down; j += stride) {
    for (let i = 0; i < across; i += stride) {
      readTile(tile, { picture, left: scale + i * TILE, top: scale + j * TILE, channel, scale });
      const sigma = tileNoise(tile);
      if (sigma !== undefined) found.push(sigma);
    }
  }
  found.sort((a, b) => a - b);
  return found.length < LEAST_TILES ? 0 : found[Math.floor(found.length * CALM_PART)]!;
}

interface Tile {
  /** Samples of 0..255 with a border of one */
  samples: Float32Array;
  /** Samples a side, with the border */
  side: number;
}

interface TilePlace {
  picture: Picture;
  left: number;
  top: number;
  channel: number;
  scale: number;
}

function readTile({ samples, side }: Tile, { picture, left, top, channel, scale }: TilePlace): void {
  const { data, width, channels } = picture;
  const factor = 255 / maxSample(picture) / scale ** 2;
  for (let v = 0, to = 0; v < side; v += 1) {
    for (let u = 0; u < side; u += 1, to += 1) {
      const from = ((top + (v - 1) * scale) * width + left + (u - 1) * scale) * channels + channel;
      let sum = 0;
      for (let y = 0; y < scale; y += 1) {
        for (let x = 0; x < scale; x += 1) sum += data[from + (y * width + x) * channels]!;
      }
      samples[to] = sum * factor;
    }
  }
}

function tileNoise({ samples, side }: Tile): number | undefined {
  let sum = 0;
  let mean = 0;
  for (let y = 1; y < side - 1; y += 1) {
    for (let x = 1; x < side - 1; x += 1) {
      const i = y * side + x;
      const corners = samples[i - side - 1]! + samples[i - side + 1]! + samples[i + side - 1]! + samples[i + side + 1]!;
      const sides = samples[i - side]! + samples[i + side]! + samples[i - 1]! + samples[i + 1]!;
      sum += Math.abs(corners - 2 * sides + 4 * samples[i]!);
      mean += samples[i]!;
    }
  }
  const count = (side - 2) ** 2;
  const level = mean / count;
  if (level < 6 || level > 249) return undefined;
  return (Math.sqrt(Math.PI / 2) / 6) * (sum / count);
}
