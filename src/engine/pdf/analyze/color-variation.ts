export interface ColorVariation {
  /** Share of pixels within a step of the most common colour, 0 to 1 */
  dominant: number;
  /** Entropy of the colours of the other pixels, in bits, at 16 levels per channel */
  entropy: number;
  /**
   * Share of neighbour pairs outside the background that differ slightly in brightness (1 to 32 of 255): neither edges
   * nor flat areas
   */
  texture: number;
  /** All pixels are grey, for any number of channels */
  grey: boolean;
  /** Share of visible pixels */
  seen: number;
}

/** Minimum of `(1 - dominant) * entropy`, in bits. Logos and scans of text are below it. */
const MIN_VARIATION = { color: 1.6, grey: 1.0 };
/** Minimum entropy, in bits. Charts are below it: they have many shades of few colours. Grey has 4 bits at most. */
const MIN_ENTROPY = { color: 4.0, grey: 2.0 };
/** Minimum share of small differences. Flat graphics are below it, however many colours they have. */
const MIN_TEXTURE = 0.4;
/**
 * A pixel counts as grey up to this difference between its channels, of 255. A colour image has at least this share of
 * other pixels.
 */
const MAX_GREY_CHROMA = 24;
const MIN_COLORED = 0.01;
const MAX_GAIN = 4;
/** Distance from the most common brightness, in steps of 255, within which a pixel counts as background. */
const GROUND_STEPS = 3;
/** Minimum share of neighbour pairs outside the background; fewer pairs do not represent the image. */
const MIN_ASKED = 0.1;
/** Minimum short side, in pixels. A smaller image has too few pixels to judge its tone. */
const MIN_SHORT_SIDE = 64;

/** Returns whether an image has the size and the colour variation of a photograph (technical criteria only). */
export function isPhotographic(width: number, height: number, measured: ColorVariation): boolean {
  const { dominant, entropy, texture, grey, seen } = measured;
  const kind = grey ? 'grey' : 'color';
  if (Math.min(width, height) < MIN_SHORT_SIDE || texture < MIN_TEXTURE) return false;
  if (seen * width * height < MIN_SHORT_SIDE ** 2) return false;
  return entropy >= MIN_ENTROPY[kind] && (1 - dominant) * entropy >= MIN_VARIATION[kind];
}

/**
 * Measures the colour variation of a thumbnail.
 * @param data 8-bit samples, channels interleaved
 * @param channels 1 or 3
 * @param seen visibility of each pixel; only visible pixels count
 */
export function measureColorVariation(
  data: Uint8Array,
  width: number,
  height: number,
  channels: number,
  seen: Uint8Array = new Uint8Array(width * height).fill(1),
): ColorVariation {
  const gain = spread(visible(data, channels, seen));
  const all = computeBrightness(data.map(gain), width * height, channels);
  const [samples, brightness] = [visible(data, channels, seen).map(gain), visible(all, 1, seen)];
  const pixels = brightness.length;
  const grey = channels === 1 || isGrey(samples, pixels);
  const { dominant, others } = splitDominant(grey ? countGreys(brightness) : countColors(samples), pixels);
  const [entropy, texture] = [computeEntropy(others), measureTexture(all, brightness, width, seen)];
  return { dominant, entropy, texture, grey, seen: pixels / Math.max(1, width * height) };
}

/** Returns the samples of the visible pixels. */
function visible(data: Uint8Array, channels: number, seen: Uint8Array): Uint8Array {
  if (!seen.includes(0)) return data;
  const kept: number[] = [];
  seen.forEach((is, i) => {
    if (is) for (let c = 0; c < channels; c += 1) kept.push(data[i * channels + c]!);
  });
  return Uint8Array.from(kept);
}

function isGrey(data: Uint8Array, pixels: number): boolean {
  let colored = 0;
  for (let at = 0; at < pixels * 3; at += 3) {
    const [r, g, b] = [data[at]!, data[at + 1]!, data[at + 2]!];
    if (Math.max(r, g, b) - Math.min(r, g, b) > MAX_GREY_CHROMA) colored += 1;
  }
  return colored < pixels * MIN_COLORED;
}

/** Counts the pixels by colour at 16 levels per channel. Grey pixels use the same bins as equal colours. */
function countColors(data: Uint8Array): Uint32Array {
  const counts = new Uint32Array(4096);
  for (let at = 0; at + 2 < data.length; at += 3) {
    counts[((data[at]! >> 4) << 8) | ((data[at + 1]! >> 4) << 4) | (data[at + 2]! >> 4)]! += 1;
  }
  return counts;
}

function countGreys(data: Uint8Array): Uint32Array {
  const counts = new Uint32Array(4096);
  for (const value of data) counts[(value >> 4) * 0x111]! += 1;
  return counts;
}

/**
 * Stretches the contrast to the range of the samples, without one percent at either end: a dull photograph is still a
 * photograph. The gain is at most 4, so that the grain of blank paper does not look like a photograph.
 */
function spread(data: Uint8Array): (value: number) => number {
  const counts = new Uint32Array(256);
  for (const value of data) counts[value]! += 1;
  const percentile = (share: number): number => {
    let sum = 0;
    return counts.findIndex((count) => (sum += count) > share * data.length);
  };
  const [low, high] = [percentile(0.01), percentile(0.99)];
  const gain = Math.min(MAX_GAIN, 255 / Math.max(1, high - low));
  const table = Uint8Array.from({ length: 256 }, (_, value) => Math.max(0, Math.min(255, (value - low) * gain)));
  return (value) => table[value]!;
}

function splitDominant(counts: Uint32Array, pixels: number): { dominant: number; others: number[] } {
  let top = 0;
  for (let bin = 1; bin < counts.length; bin += 1) if (counts[bin]! > counts[top]!) top = bin;
  let near = 0;
  const others: number[] = [];
  counts.forEach((count, bin) => {
    if (count === 0) return;
    const isNear = [8, 4, 0].every((shift) => Math.abs(((bin >> shift) & 15) - ((top >> shift) & 15)) <= 1);
    if (isNear) near += count;
    else others.push(count);
  });
  return { dominant: pixels === 0 ? 1 : near / pixels, others };
}

function computeEntropy(counts: number[]): number {
  const sum = counts.reduce((a, b) => a + b, 0);
  return counts.reduce((bits, count) => bits - (count / sum) * Math.log2(count / sum), 0);
}

/** Pixels of the most common brightness are background and do not count: an object on white can be a photograph. */
function measureTexture(all: Uint8Array, brightness: Uint8Array, width: number, seen: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const value of brightness) counts[value]! += 1;
  const ground = counts.indexOf(counts.reduce((a, b) => Math.max(a, b), 0));
  let [gentle, asked] = [0, 0];
  for (let at = 1; at < all.length; at += 1) {
    if (at % width === 0 || seen[at] === 0 || seen[at - 1] === 0) continue;
    const [left, right] = [all[at - 1]!, all[at]!];
    if (Math.abs(left - ground) <= GROUND_STEPS && Math.abs(right - ground) <= GROUND_STEPS) continue;
    asked += 1;
    const difference = Math.abs(left - right);
    if (difference >= 1 && difference <= 32) gentle += 1;
  }
  return asked < brightness.length * MIN_ASKED ? 0 : gentle / asked;
}

function computeBrightness(data: Uint8Array, pixels: number, channels: number): Uint8Array {
  if (channels === 1) return data.subarray(0, pixels);
  return Uint8Array.from(
    { length: pixels },
    (_, i) => (data[i * 3]! * 77 + data[i * 3 + 1]! * 150 + data[i * 3 + 2]! * 29) >> 8,
  );
}
