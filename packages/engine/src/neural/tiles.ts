import { colourChannels, emptySamples, maxSample, type Picture } from '../image/picture.ts';
import type { Network } from './network.ts';
import { lumaOf } from '../image/luma.ts';

export interface TiledNetwork extends Network {
  scale: number;
  /** Pixels around a tile that affect its result */
  margin: number;
  /**
   * Side of a tile, in pixels of the input: small enough for memory and caches, large enough to keep the cost of
   * margins low
   */
  tile: number;
  /** The sides of the input must be a multiple of this; `margin` and `tile` are too */
  alignment: number;
}

/**
 * A picture is too narrow for a network if its shorter side is below the first value and its longer side above the
 * second, pixels.
 */
const LEAST_SIDE = 8;
const LONG_SIDE = 256;

/** In a long and thin picture, a network would mostly process margins without content. */
export function isNarrow({ width, height }: { width: number; height: number }): boolean {
  return Math.min(width, height) < LEAST_SIDE && Math.max(width, height) > LONG_SIDE;
}

/**
 * Runs a network over a picture tile by tile. The margin makes the result equal to that of the whole picture; beyond
 * the edges, edge pixels are repeated. Besides picture and result, memory contains one tile. Grey is processed as three
 * equal channels, and the output is weighted to grey. 16-bit samples keep their precision. The alpha of the result is
 * 0.
 * @param picture grey or RGB
 * @param onPart receives the completed share after each tile, 0 to 1
 */
export async function runTiled(
  picture: Picture,
  network: TiledNetwork,
  onPart?: (part: number) => void,
): Promise<Picture> {
  const { scale, margin, tile, alignment } = network;
  const [width, height] = [picture.width * scale, picture.height * scale];
  const result = { ...picture, width, height, data: emptySamples(picture, width * height * picture.channels) };
  const aligned = (side: number): number => Math.ceil(side / alignment) * alignment + 2 * margin;
  for (let top = 0; top < picture.height; top += tile) {
    const rows = Math.min(tile, picture.height - top);
    for (let left = 0; left < picture.width; left += tile) {
      const columns = Math.min(tile, picture.width - left);
      const window = { left: left - margin, top: top - margin, width: aligned(columns), height: aligned(rows) };
      const output = await network.run(readWindow(picture, window), window.width, window.height);
      // Some networks return the margin, others remove it.
      const border = output.width === window.width * scale ? margin * scale : 0;
      const place = { left: left * scale, top: top * scale, width: columns * scale, height: rows * scale };
      writeTile(result, place, output, border);
      onPart?.((top + (rows * (left + columns)) / picture.width) / picture.height);
    }
  }
  return result;
}

interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Returns three planes of 0..1; the area may extend beyond the picture. */
function readWindow(picture: Picture, { left, top, width, height }: Area): Float32Array {
  const { data, channels } = picture;
  const factor = 1 / maxSample(picture);
  const grey = colourChannels(picture) === 1;
  const plane = width * height;
  const planes = new Float32Array(3 * plane);
  for (let y = 0; y < height; y += 1) {
    const row = Math.min(picture.height - 1, Math.max(0, top + y)) * picture.width;
    for (let x = 0; x < width; x += 1) {
      const from = (row + Math.min(picture.width - 1, Math.max(0, left + x))) * channels;
      const to = y * width + x;
      planes[to] = data[from]! * factor;
      if (grey) continue;
      planes[plane + to] = data[from + 1]! * factor;
      planes[2 * plane + to] = data[from + 2]! * factor;
    }
  }
  if (grey) {
    planes.copyWithin(plane, 0, plane);
    planes.copyWithin(2 * plane, 0, plane);
  }
  return planes;
}

/** @param border pixels of the network's output around the needed part */
function writeTile(
  picture: Picture,
  { left, top, width, height }: Area,
  { samples, width: tileWidth }: { samples: Float32Array; width: number },
  border: number,
): void {
  const { data, channels } = picture;
  const max = maxSample(picture);
  const grey = colourChannels(picture) === 1;
  const plane = samples.length / 3;
  for (let y = 0; y < height; y += 1) {
    let from = (y + border) * tileWidth + border;
    let to = ((top + y) * picture.width + left) * channels;
    for (let x = 0; x < width; x += 1, from += 1, to += channels) {
      const [r, g, b] = [samples[from]!, samples[plane + from]!, samples[2 * plane + from]!];
      if (grey) data[to] = sample(lumaOf(r, g, b), max);
      else {
        data[to] = sample(r, max);
        data[to + 1] = sample(g, max);
        data[to + 2] = sample(b, max);
      }
    }
  }
}

function sample(value: number, max: number): number {
  return value <= 0 ? 0 : value >= 1 ? max : value * max + 0.5;
}
