import { colourChannels, maxSample } from '../picture.ts';
import type { Picture } from '../picture.ts';

const TILE = 16;
/** Maximum number of sampled tiles, spread evenly over the picture. */
const MAX_TILES = 4096;
const GUESS_TILES = 400;
/** Share of tiles with the least variation, which measure the noise; the others contain texture. */
const CALM_PART = 0.1;
/** Minimum number of tiles for an estimate. */
const LEAST_TILES = 12;

/**
 * Estimates the standard deviation of white noise in each colour channel, in levels of 255, after Immerkær, "Fast noise
 * variance estimation" (1996). The estimate is the mean response to a mask that cancels edges and slopes, here over the
 * calmest tiles. Tiles with clipped samples, which hide noise, do not count. Without enough tiles the result is 0.
 */
export function estimateNoise(picture: Picture): number[] {
  return Array.from({ length: colourChannels(picture) }, (_, channel) => channelNoise(picture, channel, MAX_TILES));
}

/** Estimates the noise quickly from fewer tiles, in the green or the grey channel, levels of 255. */
export function guessNoise(picture: Picture): number {
  return channelNoise(picture, colourChannels(picture) === 1 ? 0 : 1, GUESS_TILES);
}

function channelNoise(picture: Picture, channel: number, most: number): number {
  const { width, height } = picture;
  const across = Math.floor((width - 2) / TILE);
  const down = Math.floor((height - 2) / TILE);
  const stride = Math.max(1, Math.round(Math.sqrt((across * down) / most)));
  const found: number[] = [];
  for (let j = 0; j < down; j += stride) {
    for (let i = 0; i < across; i += stride) {
      const sigma = tileNoise(picture, 1 + i * TILE, 1 + j * TILE, channel);
      if (sigma !== undefined) found.push(sigma);
    }
  }
  found.sort((a, b) => a - b);
  return found.length < LEAST_TILES ? 0 : found[Math.floor(found.length * CALM_PART)]!;
}

function tileNoise(
  { data, width, channels, ...rest }: Picture,
  left: number,
  top: number,
  channel: number,
): number | undefined {
  const scale = 255 / maxSample({ data, width, channels, ...rest });
  const row = width * channels;
  let sum = 0;
  let mean = 0;
  for (let y = top; y < top + TILE; y += 1) {
    for (let x = left; x < left + TILE; x += 1) {
      const i = y * row + x * channels + channel;
      const corners =
        data[i - row - channels]! + data[i - row + channels]! + data[i + row - channels]! + data[i + row + channels]!;
      const sides = data[i - row]! + data[i + row]! + data[i - channels]! + data[i + channels]!;
      sum += Math.abs(corners - 2 * sides + 4 * data[i]!);
      mean += data[i]!;
    }
  }
  const level = (mean * scale) / (TILE * TILE);
  if (level < 6 || level > 249) return undefined;
  return (Math.sqrt(Math.PI / 2) / 6) * ((sum * scale) / (TILE * TILE));
}
