import { raiseBlocks, raiseRow, type Interpolation, type Kernel, type RowMaps } from './local-light-kernels.ts';
import { gainShare, type LocalLight } from './local-light.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { TOE } from './shade.ts';

/** Table sizes for brightness and for the logarithm of the gain. */
const LIGHTS = 4096;
const GAINS = 1024;
/** Amplitude of detail, in standard deviations of the noise, that gets half of the gain. */
const NOISE_REACH = 3;
/** Minimum noise of any picture, 0..1: rounding alone contributes a third of a level of 255. */
const LEAST_NOISE = 0.4 / 255;

/** From this number of pixels, the gain is computed for blocks of 2×2 pixels, which are then too small to see. */
const BLOCKS_FROM = 2_000_000;

/**
 * Applies a local gain, in place. All channels have the same gain, so hues stay. Differences within the noise are not
 * amplified, and alpha does not change. Not for CMYK.
 */
export function applyLocalLight(picture: Picture, light: LocalLight): void {
  const max = maxSample(picture);
  const deviation = Math.max(LEAST_NOISE, light.noise);
  const kernel: Kernel = {
    max,
    green: colourChannels(picture) === 1 ? 0 : 1,
    reach: (NOISE_REACH * deviation * max) ** 2,
    logs: Float32Array.from({ length: LIGHTS }, (_, i) => Math.log(i / (LIGHTS - 1) + TOE)),
    shares: Float32Array.from({ length: LIGHTS }, (_, i) => gainShare(i / (LIGHTS - 1))),
    gains: Float32Array.from({ length: GAINS + 1 }, (_, i) => Math.exp((i / GAINS) * light.most)),
    toGain: GAINS / light.most,
    toTable: (LIGHTS - 1) / max,
  };
  const blocks = picture.width * picture.height >= BLOCKS_FROM;
  const size = blocks ? 2 : 1;
  const across = interpolation(Math.ceil(picture.width / size), light.width);
  const down = interpolation(Math.ceil(picture.height / size), light.height);
  const slopes = new Float32Array(light.width + 1);
  const [reds, greens, blues] = [slopes.slice(), slopes.slice(), slopes.slice()];
  const maps: RowMaps = { slopes, offsets: slopes.slice(), floors: slopes.slice(), smooths: [reds, greens, blues] };
  for (let row = 0; row * size < picture.height; row += 1) {
    const [from, part] = [down.places[row]!, down.parts[row]!];
    mixRows(light.slope, maps.slopes, light, from, part, 1);
    mixRows(light.offset, maps.offsets, light, from, part, 1);
    mixRows(light.floor, maps.floors, light, from, part, max);
    light.smooth.forEach((smooth, c) => mixRows(smooth, maps.smooths[c]!, light, from, part, max));
    if (blocks) raiseBlocks(picture, row * 2, kernel, maps, across);
    else raiseRow(picture, row, kernel, maps, across);
  }
}

/** Returns the positions of the pixels along one axis. */
function interpolation(pixels: number, cells: number): Interpolation {
  const [places, parts] = [new Int32Array(pixels), new Float32Array(pixels)];
  for (let x = 0; x < pixels; x += 1) {
    const at = Math.min(cells - 1, Math.max(0, ((x + 0.5) * cells) / pixels - 0.5));
    places[x] = at;
    parts[x] = at - places[x]!;
  }
  return { places, parts };
}

/** Interpolates between two rows of a map, times a factor. */
function mixRows(
  map: Float32Array,
  to: Float32Array,
  { width, height }: LocalLight,
  row: number,
  part: number,
  factor: number,
): void {
  const upper = row * width;
  const lower = Math.min(height - 1, row + 1) * width;
  for (let x = 0; x < width; x += 1) to[x] = (map[upper + x]! + (map[lower + x]! - map[upper + x]!) * part) * factor;
  to[width] = to[width - 1]!;
}
