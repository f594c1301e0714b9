import { maxSample, type Picture } from '../picture.ts';

const TILE = 16;
/** Samples around a tile that the masks of the blocks read. */
const BORDER = 4;
/** Maximum number of sampled tiles, spread evenly over the picture. */
const MAX_TILES = 4096;
const LEAST_TILES = 12;
/** Range of the mean green of a tile, levels of 255: outside it, clipping hides noise. */
const LEVELS = [8, 245] as const;
/** The tiles are divided by brightness into up to this many groups of at least `GROUP_TILES`, since the noise depends on brightness. */
const MOST_GROUPS = 6;
const GROUP_TILES = 24;
/** Share of the calmest tiles of a group, and their minimum number. */
const CALM = { part: 0.08, least: 3 } as const;
/**
 * Ratio of the responses to blocks of 4 and of 2 samples a side: at most that of noise, also behind the interpolation of a camera's
 * colour filter, and that of texture.
 */
const RATIO = { noise: 0.81, texture: 1.6 } as const;
/** Noise of one brightness is at most this factor of that of the calmest; more is texture. */
const MOST_RISE = 2.5;
/** Standard deviation of noise for a response of 1 to blocks of 2 samples, in the calmest tiles. */
const CALIBRATION = 2.8;

/**
 * Estimates the standard deviation of the noise in red, green and blue, levels of 255, from the differences of red and green and of blue and
 * green. Noise is independent in each channel, and most texture has no colour. Half the sharpness is enough: white noise and a
 * camera's noise, whose neighbours share noise, give the same response to blocks of 2 samples.
 * @returns undefined for a picture without colour, or one that is too small
 */
export function estimateColourNoise(picture: Picture): [number, number, number] | undefined {
  const tiles = readTiles(picture);
  if (tiles.length < LEAST_TILES || tiles.every(({ red, blue }) => red.half === 0 && blue.half === 0)) return undefined;
  const [red, blue] = [noiseOf(tiles, 'red'), noiseOf(tiles, 'blue')];
  return [Math.sqrt(red), Math.sqrt((red + blue) / 2), Math.sqrt(blue)];
}

/** Mean squares of the responses of a difference of channels to Immerkær's mask, on blocks of 2 and of 4 samples a side. */
interface Response {
  half: number;
  quarter: number;
}

interface Tile {
  /** Mean green, levels of 255 */
  level: number;
  red: Response;
  blue: Response;
}

function readTiles(picture: Picture): Tile[] {
  const { data, width, height, channels } = picture;
  const [across, down] = [width, height].map((side) => Math.floor((side - 2 * BORDER) / TILE)) as [number, number];
  const stride = Math.max(1, Math.round(Math.sqrt((across * down) / MAX_TILES)));
  const side = (TILE + 2 * BORDER) / 2;
  const [red, blue] = [new Float32Array(side * side), new Float32Array(side * side)];
  const scale = 255 / maxSample(picture) / 4;
  const tiles: Tile[] = [];
  for (let j = 0; j < down; j += stride) {
    for (let i = 0; i < across; i += stride) {
      let sum = 0;
      for (let v = 0, to = 0; v < side; v += 1) {
        for (let u = 0; u < side; u += 1, to += 1) {
          const at = ((j * TILE + 2 * v) * width + i * TILE + 2 * u) * channels;
          let [r, g, b] = [0, 0, 0];
          for (const k of [at, at + channels, at + width * channels, at + (width + 1) * channels]) {
            r += data[k]!;
            g += data[k + 1]!;
            b += data[k + 2]!;
          }
          red[to] = (r - g) * scale;
          blue[to] = (b - g) * scale;
          sum += g * scale;
        }
      }
      const level = sum / side ** 2;
      if (level > LEVELS[0] && level < LEVELS[1])
        tiles.push({ level, red: responses(red, side), blue: responses(blue, side) });
    }
  }
  return tiles;
}

function responses(plane: Float32Array, side: number): Response {
  const less = side / 2;
  const quarters = Float32Array.from({ length: less * less }, (_, n) => {
    const at = 2 * Math.floor(n / less) * side + 2 * (n % less);
    return (plane[at]! + plane[at + 1]! + plane[at + side]! + plane[at + side + 1]!) / 4;
  });
  return { half: meanSquare(plane, side, BORDER / 2), quarter: meanSquare(quarters, less, BORDER / 4) };
}

/** Mean square of the response to the mask of Immerkær, normed for white noise, inside a border. */
function meanSquare(plane: Float32Array, side: number, border: number): number {
  let sum = 0;
  for (let y = border; y < side - border; y += 1) {
    for (let x = border; x < side - border; x += 1) {
      const i = y * side + x;
      const corners = plane[i - side - 1]! + plane[i - side + 1]! + plane[i + side - 1]! + plane[i + side + 1]!;
      const sides = plane[i - side]! + plane[i + side]! + plane[i - 1]! + plane[i + 1]!;
      sum += ((corners - 2 * sides + 4 * plane[i]!) / 6) ** 2;
    }
  }
  return sum / (side - 2 * border) ** 2;
}

/** Returns the variance of the noise of a channel: the mean over the groups, each from its calmest tiles without their texture. */
function noiseOf(tiles: readonly Tile[], channel: 'red' | 'blue'): number {
  const byLevel = tiles.slice().sort((a, b) => a.level - b.level);
  const count = Math.max(1, Math.min(MOST_GROUPS, Math.floor(tiles.length / GROUP_TILES)));
  const found = Array.from({ length: count }, (_, group) => {
    const own = byLevel.slice(
      Math.round((group * tiles.length) / count),
      Math.round(((group + 1) * tiles.length) / count),
    );
    own.sort((a, b) => a[channel].half - b[channel].half);
    const calm = own.slice(0, Math.max(CALM.least, Math.round(own.length * CALM.part)));
    const mean = (name: keyof Response): number =>
      calm.reduce((sum, tile) => sum + tile[channel][name], 0) / calm.length;
    const [half, quarter] = [mean('half'), mean('quarter')];
    const noise = (RATIO.texture ** 2 * half - quarter) / (RATIO.texture ** 2 - RATIO.noise ** 2);
    return Math.max(0, Math.min(half, noise));
  });
  // The least may be chance, as it comes from a few tiles.
  const [least, next = least] = found.slice().sort((a, b) => a - b) as [number, number?];
  const most = MOST_RISE ** 2 * next;
  // A difference of two channels has the noise of both.
  return (CALIBRATION ** 2 / 2) * (found.reduce((sum, own) => sum + Math.min(own, most), 0) / found.length);
}
