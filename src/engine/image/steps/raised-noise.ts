import { shrinkPlane } from '../filters/dct-shrinkage.ts';
import { forwardDct } from '../filters/dct.ts';
import { filterStrips, type Strip } from '../codecs/strips.ts';
import { SHRINK_MARGIN } from '../codecs/shrink-strip.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { THRESHOLD } from './noise.ts';

/** Log gains of the cells of a grid that covers the picture. */
export interface GainMap {
  /** Cells */
  width: number;
  height: number;
  gains: Float32Array;
}

/** Log gain below which noise does not become more visible. */
const LEAST_GAIN = Math.log(1.15);
/** Maximum number of sampled blocks, and the share of the calmest that measure the noise. */
const MAX_BLOCKS = 3000;
const CALM_PART = 0.25;
/**
 * The calmest blocks, and the factor of their noise above which a block has texture. Foliage can fill a picture, so that the calm blocks
 * have texture too. Noise alone spreads less.
 */
const CALMEST_PART = 0.02;
const MOST_RISE = 1.8;
/** Minimum number of calm blocks for an estimate. */
const LEAST_BLOCKS = 8;
/** The calmest blocks have less noise than the others by about this factor. */
const SELECTION = 1.15;
/** Noise of luma that stays, levels of 255. */
const LEAST_NOISE = 1;

/**
 * Removes the noise that a gain made visible, in place. The filter measures the noise after the gain, for each frequency
 * of 8×8 DCT blocks, so that it also removes the coarse grain of cameras. Each pixel keeps the noise that it had before.
 * @returns whether the picture changed
 */
export function reduceRaisedNoise(picture: Picture, map: GainMap): boolean {
  const thresholds = measureNoise(picture, map);
  if (!thresholds) return false;
  filterStrips(picture, SHRINK_MARGIN, (strip) => {
    strip.source.forEach((source, p) => {
      shrinkPlane(source, strip.width, strip.height, thresholds[p]!, strip.target[p]!);
    });
    mixByGain(strip, picture.height, map);
  });
  return true;
}

/** Returns the thresholds of each plane by frequency, or undefined when there is too little noise. */
function measureNoise(picture: Picture, map: GainMap): Float32Array[] | undefined {
  const most = map.gains.reduce((a, b) => Math.max(a, b), 0);
  if (most < LEAST_GAIN) return undefined;
  const planes = colourChannels(picture) === 1 ? 1 : 3;
  const { width, height } = picture;
  const stride = Math.max(8, Math.ceil(Math.sqrt((width * height) / MAX_BLOCKS)));
  const found: { energy: number; blocks: Float32Array[] }[] = [];
  for (let y = 0; y + 8 <= height; y += stride) {
    for (let x = 0; x + 8 <= width; x += stride) {
      if (gainAt(map, (x + 4) / width, (y + 4) / height) < Math.max(LEAST_GAIN, most / 2)) continue;
      const blocks = readPlanes(picture, x, y, planes);
      const [luma] = blocks as [Float32Array];
      const mean = luma.reduce((a, b) => a + b, 0) / 64;
      if (mean < 3 || mean > 250) continue;
      blocks.forEach(forwardDct);
      found.push({ energy: luma.reduce((sum, v, k) => sum + (k === 0 ? 0 : v * v), 0), blocks });
    }
  }
  found.sort((a, b) => a.energy - b.energy);
  const textured = (found[Math.floor(found.length * CALMEST_PART)]?.energy ?? 0) * MOST_RISE ** 2;
  const calm = found.slice(0, Math.ceil(found.length * CALM_PART)).filter(({ energy }) => energy <= textured);
  if (calm.length < LEAST_BLOCKS) return undefined;
  if (SELECTION * Math.sqrt(calm.reduce((sum, { energy }) => sum + energy, 0) / calm.length / 63) < LEAST_NOISE)
    return undefined;
  return Array.from({ length: planes }, (_, p) =>
    Float32Array.from({ length: 64 }, (_, k) => {
      const square = calm.reduce((sum, { blocks }) => sum + blocks[p]![k]! ** 2, 0) / calm.length;
      return THRESHOLD * SELECTION * Math.sqrt(square);
    }),
  );
}

/** Reads a block of 8×8 pixels as luma and two chroma planes (weights as in `strips.ts`), or as grey, 0..255. */
function readPlanes({ data, width, channels, ...rest }: Picture, x: number, y: number, planes: number): Float32Array[] {
  const scale = 255 / maxSample({ data, width, channels, ...rest });
  const blocks = Array.from({ length: planes }, () => new Float32Array(64));
  for (let k = 0; k < 64; k += 1) {
    const i = ((y + (k >> 3)) * width + x + (k & 7)) * channels;
    if (planes === 1) {
      blocks[0]![k] = data[i]! * scale;
      continue;
    }
    const [r, g, b] = [data[i]! * scale, data[i + 1]! * scale, data[i + 2]! * scale];
    const luma = 0.299 * r + 0.587 * g + 0.114 * b;
    blocks[0]![k] = luma;
    blocks[1]![k] = (b - luma) * 0.564;
    blocks[2]![k] = (r - luma) * 0.713;
  }
  return blocks;
}

/** Applies the change of each pixel as far as its gain made noise visible: not at all without a gain. */
function mixByGain({ width, height, top, source, target }: Strip, pictureHeight: number, map: GainMap): void {
  const shares = new Float32Array(width);
  for (let row = 0; row < height; row += 1) {
    const down = (top + row + 0.5) / pictureHeight;
    for (let x = 0; x < width; x += 1) shares[x] = 1 - Math.exp(-2 * Math.max(0, gainAt(map, (x + 0.5) / width, down)));
    source.forEach((from, p) => {
      const to = target[p]!;
      for (let x = 0, i = row * width; x < width; x += 1, i += 1) to[i] = from[i]! + (to[i]! - from[i]!) * shares[x]!;
    });
  }
}

/** Interpolates the log gain at a point, in fractions of the sides. */
function gainAt({ width, height, gains }: GainMap, across: number, down: number): number {
  const x = Math.min(width - 1, Math.max(0, across * width - 0.5));
  const y = Math.min(height - 1, Math.max(0, down * height - 0.5));
  const [i, j] = [Math.floor(x), Math.floor(y)];
  const [right, below] = [i + 1 < width ? 1 : 0, j + 1 < height ? width : 0];
  const at = j * width + i;
  const upper = gains[at]! + (gains[at + right]! - gains[at]!) * (x - i);
  const lower = gains[at + below]! + (gains[at + below + right]! - gains[at + below]!) * (x - i);
  return upper + (lower - upper) * (y - j);
}
