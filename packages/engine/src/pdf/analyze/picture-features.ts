import { lumaAt } from '../../image/luma.ts';

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
const GROUND_TILE = 16;
const MIN_GROUND = 32;
/** Distance from the bright level of a tile within which a pixel belongs to the ground, of 255. */
const GROUND_STEPS = 12;

/** Measures the visible pixels of a thumbnail. @param lumas by `computeLuma` @param seen 1 for each visible pixel */
export function measurePicture(thumb: Thumb, lumas: Float32Array, seen: Uint8Array): PictureFeatures {
  const stretched = { ...thumb, data: thumb.data.map(stretch(thumb, seen)) };
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
function stretch({ data, channels }: Thumb, seen: Uint8Array): (value: number) => number {
  const counts = new Uint32Array(256);
  let total = 0;
  seen.forEach((is, pixel) => {
    if (is === 0) return;
    for (let c = 0; c < channels; c += 1) counts[data[pixel * channels + c]!]! += 1;
    total += channels;
  });
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
  return (value) => table[value]!;
}

/** Luma of all pixels of a thumbnail. */
export function computeLuma({ data, channels, width, height }: Thumb): Float32Array {
  return Float32Array.from({ length: width * height }, (_, i) => lumaAt(data, i * channels, channels));
}

function measureColours({ data, channels }: Thumb, seen: Uint8Array) {
  const bins = new Map<number, number>();
  const hues = new Float64Array(36);
  let [pixels, vivid, coloured] = [0, 0, 0];
  seen.forEach((is, i) => {
    if (is === 0) return;
    const at = i * channels;
    const [r, g, b] = channels === 1 ? [data[at]!, data[at]!, data[at]!] : [data[at]!, data[at + 1]!, data[at + 2]!];
    const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
    const bin = ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);
    pixels += 1;
    bins.set(bin, (bins.get(bin) ?? 0) + 1);
    if (most > 102 && most - least > 0.8 * most) vivid += 1;
    if (most - least <= COLOURED) return;
    coloured += 1;
    const turn =
      most === r ? (g - b) / (most - least) : most === g ? 2 + (b - r) / (most - least) : 4 + (r - g) / (most - least);
    hues[Math.floor(((turn + 6) % 6) * 6) % 36]! += 1;
  });
  const total = Math.max(1, pixels);
  const counts = [...bins.values()].sort((one, other) => other - one);
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
    for (let c = 0; c < channels; c += 1)
      most = Math.max(most, Math.abs(data[i * channels + c]! - data[before * channels + c]!));
    pairs += 1;
    if (most <= 1) equal += 1;
    else if (most <= GENTLE) gentle += 1;
    const difference = luma[i]! - luma[before]!;
    second += difference ** 2;
    fourth += difference ** 4;
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
      const [low, high] = [new Array<number>(channels).fill(255), new Array<number>(channels).fill(0)];
      let visible = true;
      for (let y = top; y < top + 8; y += 1)
        for (let x = left; x < left + 8; x += 1) {
          const i = y * width + x;
          visible &&= seen[i] !== 0;
          for (let c = 0; c < channels; c += 1) {
            low[c] = Math.min(low[c]!, data[i * channels + c]!);
            high[c] = Math.max(high[c]!, data[i * channels + c]!);
          }
        }
      if (!visible) continue;
      tiles += 1;
      if (high.every((value, c) => value - low[c]! <= FLAT_RANGE)) flat += 1;
    }
  return { flat: flat / Math.max(1, tiles) };
}

function measureGround({ width, height }: Thumb, luma: Float32Array, seen: Uint8Array) {
  const [across, down] = [Math.max(1, Math.floor(width / GROUND_TILE)), Math.max(1, Math.floor(height / GROUND_TILE))];
  // A tile without enough visible pixels has no level.
  const bright = new Float32Array(across * down).fill(NaN);
  let [near, counted, changes, pairs] = [0, 0, 0, 0];
  for (let row = 0; row < down; row += 1)
    for (let column = 0; column < across; column += 1) {
      const own: number[] = [];
      for (let y = row * GROUND_TILE; y < Math.min(height, (row + 1) * GROUND_TILE); y += 1)
        for (let x = column * GROUND_TILE; x < Math.min(width, (column + 1) * GROUND_TILE); x += 1)
          if (seen[y * width + x] !== 0) own.push(luma[y * width + x]!);
      if (own.length < MIN_GROUND) continue;
      const level = own.sort((one, other) => one - other)[Math.floor(own.length * 0.9)]!;
      counted += own.length;
      near += own.filter((value) => value > level - GROUND_STEPS).length;
      const tile = row * across + column;
      bright[tile] = level;
      for (const before of [column > 0 && tile - 1, row > 0 && tile - across]) {
        if (before === false || Number.isNaN(bright[before]!)) continue;
        pairs += 1;
        changes += Math.abs(level - bright[before]!);
      }
    }
  const [mean, variance] = meanAndVariance(luma.filter((_, i) => seen[i] !== 0));
  let between = 0;
  for (let row = 0; row < 4; row += 1)
    for (let column = 0; column < 4; column += 1) {
      let [sum, count] = [0, 0];
      for (let y = Math.floor((row * height) / 4); y < Math.floor(((row + 1) * height) / 4); y += 1)
        for (let x = Math.floor((column * width) / 4); x < Math.floor(((column + 1) * width) / 4); x += 1) {
          if (seen[y * width + x] === 0) continue;
          sum += luma[y * width + x]!;
          count += 1;
        }
      if (count > 0) between += (sum / count - mean) ** 2 / 16;
    }
  return {
    ground: changes / Math.max(1, pairs) / Math.max(1, Math.sqrt(variance)),
    near: near / Math.max(1, counted),
    bright: median(bright.filter((level) => !Number.isNaN(level))),
    layout: Math.sqrt(between / Math.max(1, variance)),
  };
}

const median = (values: Float32Array): number => values.sort()[values.length >> 1] ?? 0;

function meanAndVariance(values: Float32Array): [mean: number, variance: number] {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return [mean, values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length)];
}

function measurePeaks(luma: Float32Array, seen: Uint8Array): number {
  const levels = new Float64Array(256);
  let pixels = 0;
  luma.forEach((value, i) => {
    if (seen[i] === 0) return;
    levels[Math.round(value)]! += 1;
    pixels += 1;
  });
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
