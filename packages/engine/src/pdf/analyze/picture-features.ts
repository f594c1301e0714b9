import { lumaAt } from '../../image/luma.ts';
import { measureGround } from './ground-features.ts';

/**
 * Statistics of a thumbnail that tell kinds of pictures apart. Each is a share of 0 to 1 unless it says otherwise.
 * Colours are counted at 32 levels a channel; pairs are horizontal and vertical neighbours.
 */
export interface PictureFeatures {
  /** Tiles of 8 × 8 pixels whose channels each vary by at most 6 of 255 */
  flat: number;
  /** Pairs that differ by at most 1 of 255 in each channel */
  equal: number;
  /** Pairs among the others that differ by at most 32 of 255 */
  texture: number;
  /** Pixels without curvature of luma, as in gradients of a drawing program */
  calm: number;
  /** Pixels of the four most common colours */
  common: number;
  /** Number of colours, as a power of two */
  colours: number;
  /** Entropy of the colours, bits */
  entropy: number;
  /** Pixels in peaks of the histogram of luma: paper, ink and steps of a ramp */
  peaks: number;
  /** Natural logarithm of the kurtosis of the differences in luma of pairs */
  kurtosis: number;
  /** Bright pixels of a saturation of more than 0.8 */
  vivid: number;
  /** Coloured pixels whose hues lie within 90 degrees; 0 without coloured pixels */
  hue: number;
  /** Coloured pixels */
  coloured: number;
  /** Differences between the means of 16 areas, relative to those between pixels */
  layout: number;
  /** Pixels of the border that are black */
  surround: number;
  /** Change of the bright level between adjacent tiles of 16 × 16 pixels, relative to the contrast: small on paper */
  ground: number;
  /** Pixels near the bright level of their tile */
  near: number;
  /** Median bright level of the tiles, of 255 */
  bright: number;
  /** Strong edges that continue unchanged across or down, as in charts */
  straight: number;
}

/** A thumbnail without opacity: 8 bits a sample, 1 or 3 channels. */
export interface Thumb {
  data: Uint8Array;
  width: number;
  height: number;
  channels: number;
}

/** 32 levels of three channels. */
const COLOUR_BINS = 32 ** 3;
const FLAT_RANGE = 6;
const GENTLE = 32;
/** Curvature of luma below which a pixel counts as calm, of 255. */
const CALM = 2;
/** A pixel counts as coloured from this difference between its channels, of 255. */
const COLOURED = 24;
const BLACK = 20;
/** Width of a peak's surroundings, and its height over their mean. */
const PEAK = { reach: 8, height: 3 };
const MAX_GAIN = 4;

/** Measures the visible pixels of a thumbnail. @param lumas by `computeLuma` @param seen 1 for each visible pixel */
export function measurePicture(thumb: Thumb, lumas: Float32Array, seen: Uint8Array): PictureFeatures {
  const stretched = { ...thumb, data: stretch(thumb, seen) };
  const luma = computeLuma(stretched);
  return {
    ...measureColours(stretched, seen),
    ...measurePairs(stretched, luma, seen),
    ...measureTiles(stretched, seen),
    ...measureGround(stretched, luma, seen),
    peaks: measurePeaks(lumas, seen),
    calm: measureCalm(stretched, luma, seen),
    surround: measureSurround(thumb, seen),
  };
}

/**
 * Stretches the contrast to the range of the samples, without one percent at either end: a dull photograph is still a
 * photograph. The gain is at most 4, so that the grain of blank paper does not look like a photograph.
 */
function stretch({ data, channels }: Thumb, seen: Uint8Array): Uint8Array {
  const counts = new Uint32Array(256);
  let total = 0;
  for (let pixel = 0; pixel < seen.length; pixel += 1) {
    if (seen[pixel] === 0) continue;
    for (let c = 0; c < channels; c += 1) counts[data[pixel * channels + c]!]! += 1;
    total += channels;
  }
  const percentile = (share: number): number => {
    let sum = 0;
    return Math.max(
      0,
      counts.findIndex((count) => (sum += count) > share * total),
    );
  };
  const [low, high] = [percentile(0.01), percentile(0.99)];
  const gain = Math.min(MAX_GAIN, 255 / Math.max(1, high - low));
  const table = Uint8Array.from({ length: 256 }, (_, value) => Math.max(0, Math.min(255, (value - low) * gain)));
  const stretched = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 1) stretched[at] = table[data[at]!]!;
  return stretched;
}

/** Luma of all pixels of a thumbnail. */
export function computeLuma({ data, channels, width, height }: Thumb): Float32Array {
  const luma = new Float32Array(width * height);
  for (let i = 0; i < luma.length; i += 1) luma[i] = lumaAt(data, i * channels, channels);
  return luma;
}

function measureColours({ data, channels }: Thumb, seen: Uint8Array) {
  const bins = new Uint32Array(COLOUR_BINS);
  const hues = new Float64Array(36);
  let [pixels, vivid, coloured] = [0, 0, 0];
  const second = channels >> 1;
  for (let i = 0, at = 0; i < seen.length; i += 1, at += channels) {
    if (seen[i] === 0) continue;
    const r = data[at]!;
    const g = data[at + second]!;
    const b = data[at + channels - 1]!;
    const most = Math.max(r, g, b);
    const least = Math.min(r, g, b);
    pixels += 1;
    bins[((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3)]! += 1;
    if (most > 102 && most - least > 0.8 * most) vivid += 1;
    if (most - least <= COLOURED) continue;
    coloured += 1;
    const turn =
      most === r ? (g - b) / (most - least) : most === g ? 2 + (b - r) / (most - least) : 4 + (r - g) / (most - least);
    hues[Math.floor(((turn + 6) % 6) * 6) % 36]! += 1;
  }
  const total = Math.max(1, pixels);
  const counts = [...bins.filter((count) => count > 0)].sort((one, other) => other - one);
  const sums = Array.from(hues, (_, from) => {
    let sum = 0;
    for (let step = 0; step < 9; step += 1) sum += hues[(from + step) % 36]!;
    return sum;
  });
  return {
    common: counts.slice(0, 4).reduce((sum, count) => sum + count, 0) / total,
    colours: Math.log2(Math.max(1, counts.length)),
    entropy: counts.reduce((bits, count) => bits - (count / total) * Math.log2(count / total), 0),
    vivid: vivid / total,
    hue: coloured === 0 ? 0 : Math.max(...sums) / coloured,
    coloured: coloured / total,
  };
}

function measurePairs({ data, channels, width, height }: Thumb, luma: Float32Array, seen: Uint8Array) {
  let [pairs, equal, gentle, second, fourth, hard, straight] = [0, 0, 0, 0, 0, 0, 0];
  /** @param along distance to the next pixel in the direction of the edge */
  function compare(i: number, before: number, along: number): void {
    if (seen[i] === 0 || seen[before] === 0) return;
    let most = 0;
    for (let c = 0, at = i * channels, from = before * channels; c < channels; c += 1) {
      const difference = Math.abs(data[at + c]! - data[from + c]!);
      if (difference > most) most = difference;
    }
    pairs += 1;
    if (most <= 1) equal += 1;
    else if (most <= GENTLE) gentle += 1;
    const difference = luma[i]! - luma[before]!;
    const square = difference * difference;
    second += square;
    fourth += square * square;
    if (most <= GENTLE || before < along) return;
    hard += 1;
    if (Math.abs(luma[i - along]! - luma[before - along]! - difference) <= 6) straight += 1;
  }
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const i = y * width + x;
      if (x > 0) compare(i, i - 1, width);
      if (y > 0) compare(i, i - width, 1);
    }
  const asked = pairs - equal;
  const total = Math.max(1, pairs);
  return {
    equal: equal / total,
    // Few pairs that differ do not represent the picture.
    texture: (gentle / Math.max(1, asked)) * Math.min(1, asked / (total * 0.1)),
    kurtosis: Math.log(Math.max(1, (fourth * total) / Math.max(1e-9, second ** 2))),
    straight: straight / Math.max(1, hard),
  };
}

function measureTiles({ data, channels, width, height }: Thumb, seen: Uint8Array) {
  let [tiles, flat] = [0, 0];
  for (let top = 0; top + 8 <= height; top += 8)
    for (let left = 0; left + 8 <= width; left += 8) {
      const range = rangeOfTile({ data, channels, width }, seen, top * width + left);
      if (range === undefined) continue;
      tiles += 1;
      if (range <= FLAT_RANGE) flat += 1;
    }
  return { flat: flat / Math.max(1, tiles) };
}

/** The largest range of a channel in a tile of 8 × 8 pixels. @returns undefined when some of it is not visible */
function rangeOfTile({ data, channels, width }: Omit<Thumb, 'height'>, seen: Uint8Array, first: number) {
  let range = 0;
  for (let c = 0; c < channels; c += 1) {
    let [low, high] = [255, 0];
    for (let y = 0; y < 8; y += 1)
      for (let i = first + y * width; i < first + y * width + 8; i += 1) {
        if (seen[i] === 0) return undefined;
        const value = data[i * channels + c]!;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    range = Math.max(range, high - low);
  }
  return range;
}

function measurePeaks(luma: Float32Array, seen: Uint8Array): number {
  const levels = new Float64Array(256);
  let pixels = 0;
  for (let i = 0; i < luma.length; i += 1) {
    if (seen[i] === 0) continue;
    levels[Math.round(luma[i]!)]! += 1;
    pixels += 1;
  }
  let peaks = 0;
  levels.forEach((count, level) => {
    let around = 0;
    for (let step = -PEAK.reach; step <= PEAK.reach; step += 1) around += levels[level + step] ?? 0;
    peaks += Math.max(0, count - (PEAK.height * around) / (2 * PEAK.reach + 1));
  });
  return peaks / Math.max(1, pixels);
}

function measureCalm({ width, height }: Thumb, luma: Float32Array, seen: Uint8Array): number {
  let [calm, inner] = [0, 0];
  for (let y = 1; y < height - 1; y += 1)
    for (let x = 1; x < width - 1; x += 1) {
      const i = y * width + x;
      if (seen[i] === 0) continue;
      inner += 1;
      const curvature = 4 * luma[i]! - luma[i - 1]! - luma[i + 1]! - luma[i - width]! - luma[i + width]!;
      if (Math.abs(curvature) <= CALM) calm += 1;
    }
  return calm / Math.max(1, inner);
}

function measureSurround({ data, channels, width, height }: Thumb, seen: Uint8Array): number {
  const edge = Math.max(1, Math.round(Math.min(width, height) * 0.04));
  let [border, black] = [0, 0];
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      if (x >= edge && y >= edge && x < width - edge && y < height - edge) continue;
      const at = (y * width + x) * channels;
      border += 1;
      if (seen[y * width + x] !== 0 && data.subarray(at, at + channels).every((value) => value < BLACK)) black += 1;
    }
  return black / Math.max(1, border);
}
