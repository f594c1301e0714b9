import type { Picture } from '../picture.ts';

/** Maximum log gain that is invisible. */
const NO_GAIN = 0.004;

/** Parameters of a picture and its local gain for the kernels. */
export interface Kernel {
  max: number;
  /** Offset from a pixel's first to its second channel, in samples; 0 for grey */
  green: 0 | 1;
  /** Square of the amplitude at which detail is half noise */
  reach: number;
  /** Logarithms by brightness, `toTable` entries per level */
  logs: Float32Array;
  /** Share of the log gain by brightness, `toTable` entries per level */
  shares: Float32Array;
  /** Gains by their logarithm, `toGain` entries per unit */
  gains: Float32Array;
  toGain: number;
  toTable: number;
}

/** The gain maps, interpolated for one row. */
export interface RowMaps {
  slopes: Float32Array;
  offsets: Float32Array;
  /** Least level that counts for the share of the gain */
  floors: Float32Array;
  /** Red, green and blue; for grey only the first is filled */
  smooths: [Float32Array, Float32Array, Float32Array];
}

/** Position of each pixel of an axis between the cells of the maps. */
export interface Interpolation {
  /** The cell whose centre precedes the pixel */
  places: Int32Array;
  /** Fraction of the way to the next centre, 0..1 */
  parts: Float32Array;
}

/**
 * Brightens one row. All channels of a pixel have the same gain. Differences from the smooth colour within the noise
 * are not amplified, since a larger gain would make them more visible. Larger ones stay: by squares, so that colours of bright objects do not
 * spread over gaps between them.
 */
export function raiseRow(
  picture: Picture,
  y: number,
  kernel: Kernel,
  maps: RowMaps,
  { places, parts }: Interpolation,
): void {
  const { data, width, channels } = picture;
  const { max, green, reach, logs, shares, gains, toGain, toTable } = kernel;
  const { slopes, offsets, floors } = maps;
  const [reds, greens, blues] = green === 0 ? [maps.smooths[0], maps.smooths[0], maps.smooths[0]] : maps.smooths;
  for (let x = 0, i = y * width * channels; x < width;) {
    // Between the centres of two cells, each map is a straight line.
    const place = places[x]!;
    const slope = slopes[place]!;
    const slopeStep = slopes[place + 1]! - slope;
    const offset = offsets[place]!;
    const offsetStep = offsets[place + 1]! - offset;
    const floor = floors[place]!;
    const floorStep = floors[place + 1]! - floor;
    const red = reds[place]!;
    const redStep = reds[place + 1]! - red;
    const middle = greens[place]!;
    const middleStep = greens[place + 1]! - middle;
    const blue = blues[place]!;
    const blueStep = blues[place + 1]! - blue;
    for (; x < width && places[x] === place; x += 1, i += channels) {
      const r = data[i]!;
      const g = data[i + green]!;
      const b = data[i + 2 * green]!;
      const light = r > g ? (r > b ? r : b) : g > b ? g : b;
      const along = parts[x]!;
      const own = (light * toTable) | 0;
      const least = floor + floorStep * along;
      const share = shares[light > least ? own : (least * toTable) | 0]!;
      const raised = ((slope + slopeStep * along) * logs[own]! + offset + offsetStep * along) * share;
      if (raised <= NO_GAIN) continue;
      const step = (raised * toGain + 0.5) | 0;
      const gain = gains[step >= gains.length ? gains.length - 1 : step]!;
      const dr = r - red - redStep * along;
      const dg = g - middle - middleStep * along;
      const db = b - blue - blueStep * along;
      const hidden = reach * (gain - 1);
      const seen = (dr * dr + dg * dg + db * db) * 0.33;
      const lost = (hidden * hidden) / (seen * seen + hidden * hidden);
      data[i] = within((r - dr * lost) * gain + 0.5, max);
      if (green === 0) continue;
      data[i + 1] = within((g - dg * lost) * gain + 0.5, max);
      data[i + 2] = within((b - db * lost) * gain + 0.5, max);
    }
  }
}

/**
 * Brightens two rows. The mean of each block of 2×2 pixels is treated as a pixel in `raiseRow`. Differences inside the
 * block are amplified as far as they exceed the noise.
 */
export function raiseBlocks(
  picture: Picture,
  y: number,
  kernel: Kernel,
  maps: RowMaps,
  { places, parts }: Interpolation,
): void {
  const { data, width, height, channels } = picture;
  const { max, green, reach, logs, shares, gains, toGain, toTable } = kernel;
  const { slopes, offsets, floors } = maps;
  const [reds, greens, blues] = green === 0 ? [maps.smooths[0], maps.smooths[0], maps.smooths[0]] : maps.smooths;
  const below = y + 1 < height ? width * channels : 0;
  const second = 2 * green;
  for (let x = 0, i = y * width * channels; x < width; x += 2, i += 2 * channels) {
    const right = x + 1 < width ? channels : 0;
    const j = i + right;
    const k = i + below;
    const l = k + right;
    const r = (data[i]! + data[j]! + data[k]! + data[l]!) * 0.25;
    const g = (data[i + green]! + data[j + green]! + data[k + green]! + data[l + green]!) * 0.25;
    const b = (data[i + second]! + data[j + second]! + data[k + second]! + data[l + second]!) * 0.25;
    const light = r > g ? (r > b ? r : b) : g > b ? g : b;
    const place = places[x >> 1]!;
    const along = parts[x >> 1]!;
    const slope = slopes[place]!;
    const offset = offsets[place]!;
    const own = (light * toTable) | 0;
    const log = logs[own]!;
    const least = floors[place]! + (floors[place + 1]! - floors[place]!) * along;
    const share = shares[light > least ? own : (least * toTable) | 0]!;
    const raised =
      ((slope + (slopes[place + 1]! - slope) * along) * log + offset + (offsets[place + 1]! - offset) * along) * share;
    if (raised <= NO_GAIN) continue;
    const step = (raised * toGain + 0.5) | 0;
    const gain = gains[step >= gains.length ? gains.length - 1 : step]!;
    const dr = r - reds[place]! - (reds[place + 1]! - reds[place]!) * along;
    const dg = g - greens[place]! - (greens[place + 1]! - greens[place]!) * along;
    const db = b - blues[place]! - (blues[place + 1]! - blues[place]!) * along;
    const hidden = reach * (gain - 1);
    // The mean of four pixels has half of the noise.
    const seen = (dr * dr + dg * dg + db * db) * 1.33;
    const lost = (hidden * hidden) / (seen * seen + hidden * hidden);
    const p = data[i + green]! - g;
    const q = data[j + green]! - g;
    const s = data[k + green]! - g;
    const t = data[l + green]! - g;
    const inside = (p * p + q * q + s * s + t * t) * 0.33;
    const fine = 1 + ((gain - 1) * inside) / (inside + hidden);
    const red = (r - dr * lost) * gain - r * fine + 0.5;
    data[i] = within(red + data[i]! * fine, max);
    if (right > 0) data[j] = within(red + data[j]! * fine, max);
    if (below > 0) data[k] = within(red + data[k]! * fine, max);
    if (right > 0 && below > 0) data[l] = within(red + data[l]! * fine, max);
    if (green === 0) continue;
    const middle = (g - dg * lost) * gain - g * fine + 0.5;
    data[i + 1] = within(middle + data[i + 1]! * fine, max);
    if (right > 0) data[j + 1] = within(middle + data[j + 1]! * fine, max);
    if (below > 0) data[k + 1] = within(middle + data[k + 1]! * fine, max);
    if (right > 0 && below > 0) data[l + 1] = within(middle + data[l + 1]! * fine, max);
    const blue = (b - db * lost) * gain - b * fine + 0.5;
    data[i + 2] = within(blue + data[i + 2]! * fine, max);
    if (right > 0) data[j + 2] = within(blue + data[j + 2]! * fine, max);
    if (below > 0) data[k + 2] = within(blue + data[k + 2]! * fine, max);
    if (right > 0 && below > 0) data[l + 2] = within(blue + data[l + 2]! * fine, max);
  }
}

const within = (value: number, max: number): number => (value < 0 ? 0 : value > max ? max : value);
