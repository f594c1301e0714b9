import { shrinkPlane } from '../filters/dct-shrinkage.ts';
import { forwardDct } from '../filters/dct.ts';
import { filterStrips, type Strip } from '../filters/strips.ts';
import { SHRINK_MARGIN } from '../filters/shrink-strip.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { THRESHOLD } from './noise.ts';
import { lumaOf } from '../luma.ts';

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
const MAX_BLOCKS = 1000;
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
/** Noise of luma that a gain may add, levels of 255: less is invisible, and its removal takes half of the CPU time of a picture. */
const MOST_ADDED = 1;

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

/** A block of the picture, by its first pixel, and its energy without the mean. */
interface SampledBlock {
  x: number;
  y: number;
  energy: number;
}

/** Returns the thresholds of each plane by frequency, or undefined when the gain added too little noise. */
function measureNoise(picture: Picture, map: GainMap): Float32Array[] | undefined {
  const gain = map.gains.reduce((a, b) => Math.max(a, b), 0);
  if (gain < LEAST_GAIN) return undefined;
  const calm = calmBlocks(picture, map, gain);
  if (calm.length < LEAST_BLOCKS) return undefined;
  const noise = SELECTION * Math.sqrt(calm.reduce((sum, { energy }) => sum + energy, 0) / calm.length / 63);
  if (noise * (1 - Math.exp(-gain)) < MOST_ADDED) return undefined;
  const block = new Float32Array(64);
  return planesOf(picture).map((plane) => {
    const squares = new Float64Array(64);
    for (const { x, y } of calm) {
      readBlock(picture, x, y, plane, block);
      forwardDct(block);
      for (let k = 0; k < 64; k += 1) squares[k]! += block[k]! ** 2;
    }
    return Float32Array.from(squares, (square) => THRESHOLD * SELECTION * Math.sqrt(square / calm.length));
  });
}

/**
 * Samples the area that became brighter. @returns its calmest blocks, in order
 * @param most the largest log gain
 */
function calmBlocks(picture: Picture, map: GainMap, most: number): SampledBlock[] {
  const [luma] = planesOf(picture);
  const { width, height } = picture;
  const stride = Math.max(8, Math.ceil(Math.sqrt((width * height) / MAX_BLOCKS)));
  const found: SampledBlock[] = [];
  const block = new Float32Array(64);
  for (let y = 0; y + 8 <= height; y += stride) {
    for (let x = 0; x + 8 <= width; x += stride) {
      if (gainAt(map, (x + 4) / width, (y + 4) / height) < Math.max(LEAST_GAIN, most / 2)) continue;
      readBlock(picture, x, y, luma, block);
      let sum = 0;
      for (let k = 0; k < 64; k += 1) sum += block[k]!;
      if (sum < 3 * 64 || sum > 250 * 64) continue;
      forwardDct(block);
      let energy = 0;
      for (let k = 1; k < 64; k += 1) energy += block[k]! * block[k]!;
      found.push({ x, y, energy });
    }
  }
  found.sort((a, b) => a.energy - b.energy);
  const textured = (found[Math.floor(found.length * CALMEST_PART)]?.energy ?? 0) * MOST_RISE ** 2;
  return found.slice(0, Math.ceil(found.length * CALM_PART)).filter(({ energy }) => energy <= textured);
}

/** Returns a sample of a plane from red, green and blue of 0..255; from the grey value three times for grey. */
type Plane = (r: number, g: number, b: number) => number;

const GREY: [Plane] = [(grey) => grey];
/** Luma and two chroma planes, with the weights of `strips.ts`. */
const COLOURS: [Plane, Plane, Plane] = [
  lumaOf,
  (r, g, b) => (b - lumaOf(r, g, b)) * 0.564,
  (r, g, b) => (r - lumaOf(r, g, b)) * 0.713,
];

const planesOf = (picture: Picture): [Plane, ...Plane[]] => (colourChannels(picture) === 1 ? GREY : COLOURS);

/** Reads 8×8 pixels of a plane. */
function readBlock(picture: Picture, x: number, y: number, plane: Plane, block: Float32Array): void {
  const { data, width, channels } = picture;
  const scale = 255 / maxSample(picture);
  const [green, blue] = colourChannels(picture) === 1 ? [0, 0] : [1, 2];
  for (let k = 0; k < 64; k += 1) {
    const i = ((y + (k >> 3)) * width + x + (k & 7)) * channels;
    block[k] = plane(data[i]! * scale, data[i + green]! * scale, data[i + blue]! * scale);
  }
}

/** Applies the change of each pixel as far as its gain made noise visible: not at all without a gain. */
function mixByGain({ width, height, top, source, target }: Strip, pictureHeight: number, map: GainMap): void {
  const columns = Array.from({ length: width }, (_, x) => cellsAt((x + 0.5) / width, map.width));
  const lines = new Map<number, Float64Array>();
  const lineOf = (from: number): Float64Array => {
    const known = lines.get(from);
    if (known) return known;
    const line = new Float64Array(width);
    for (let x = 0; x < width; x += 1) line[x] = between(map.gains, from, columns[x]!);
    lines.set(from, line);
    return line;
  };
  const shares = new Float32Array(width);
  for (let row = 0; row < height; row += 1) {
    const { cell, next, part } = cellsAt((top + row + 0.5) / pictureHeight, map.height);
    const [upper, lower] = [lineOf(cell * map.width), lineOf((cell + next) * map.width)];
    let [gain, share] = [0, 0];
    for (let x = 0; x < width; x += 1) {
      const own = upper[x]! + (lower[x]! - upper[x]!) * part;
      // Many pixels have the gain of their neighbour, and `exp` is slow.
      if (own !== gain) share = 1 - Math.exp(-2 * Math.max(0, own));
      gain = own;
      shares[x] = share;
    }
    source.forEach((from, p) => {
      const to = target[p]!;
      for (let x = 0, i = row * width; x < width; x += 1, i += 1) to[i] = from[i]! + (to[i]! - from[i]!) * shares[x]!;
    });
  }
}

/** Interpolates the log gain at a point, in fractions of the sides. */
function gainAt({ width, height, gains }: GainMap, across: number, down: number): number {
  const [column, row] = [cellsAt(across, width), cellsAt(down, height)];
  const upper = between(gains, row.cell * width, column);
  const lower = between(gains, (row.cell + row.next) * width, column);
  return upper + (lower - upper) * row.part;
}

/** Two neighbouring cells of a side, which surround a point. */
interface Cells {
  cell: number;
  /** Steps from the first to the second: 0 at the edge */
  next: 0 | 1;
  /** Weight of the second, 0..1 */
  part: number;
}

/** @param at fraction of the side */
function cellsAt(at: number, cells: number): Cells {
  const position = Math.min(cells - 1, Math.max(0, at * cells - 0.5));
  const cell = Math.floor(position);
  return { cell, next: cell + 1 < cells ? 1 : 0, part: position - cell };
}

/** Interpolates between two cells of a row of cells, which begins at `from`. */
function between(gains: Float32Array, from: number, { cell, next, part }: Cells): number {
  const left = gains[from + cell]!;
  return left + (gains[from + cell + next]! - left) * part;
}
