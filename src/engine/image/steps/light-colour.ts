import { FULL } from './tone-thumbnail.ts';

/**
 * Decodes an sRGB value to linear light, both 0..1 (IEC 61966-2-1). Display P3 has the same curve, other RGB a similar
 * one.
 */
export function linearLight(coded: number): number {
  return coded <= 0.04045 ? coded / 12.92 : ((coded + 0.055) / 1.055) ** 2.4;
}

/** Inverse of `linearLight`. */
export function codedLight(linear: number): number {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
}

/**
 * Order of the Minkowski norm of shades of grey (Finlayson and Trezzi, 2004): bright pixels indicate the illuminant
 * best.
 */
const NORM = 6;
/** Maximum absolute log ratio of linear channels for a pixel that may be a grey surface under a coloured illuminant. */
const NEAR_NEUTRAL = 1;
/** Range of coded values in which no channel is clipped or underexposed. */
const TELLING = { least: 0.06, most: 0.97 };
/**
 * Share of the near-neutral pixels that may deviate less than the cast, or to the other side, without refuting the
 * cast.
 */
const EXCEPTIONS = 0.15;
const LEAST_PIXELS = 50;
/**
 * Deviations that span less than this, over the middle four fifths, are a single hue: an intentionally toned picture or
 * a drawing.
 */
const ONE_HUE = 0.04;

/** Estimated colour of the illuminant. */
export interface LightColour {
  /** Natural logarithms of red over green and of blue over green, in linear light; 0 for neutral */
  red: number;
  blue: number;
  /** Share of near-neutral pixels, 0..1: the basis of the estimate */
  neutralPart: number;
}

/** Bins of the histogram of deviations, from -`MOST_LEAN` to `MOST_LEAN`. */
const BINS = 8192;
const MOST_LEAN = 2;

/** Logarithm and power of linear light by coded value, precomputed to avoid both per pixel. */
let tables: { log: Float32Array; power: Float64Array } | undefined;

function lightTables(): NonNullable<typeof tables> {
  if (tables) return tables;
  const log = new Float32Array(FULL + 1);
  const power = new Float64Array(FULL + 1);
  for (let value = 0; value <= FULL; value += 1) {
    const light = linearLight(value / FULL);
    log[value] = Math.log(light);
    power[value] = light ** NORM;
  }
  tables = { log, power };
  return tables;
}

/**
 * Estimates the illuminant. Shades of grey over the near-neutral pixels gives the direction of the colour cast, and the
 * deviation that nearly all of them share gives its amount. Under a lamp nothing is neutral, while a blue sky or a
 * wooden table does not tint other surfaces.
 * @param cells red, green and blue in turn, coded, 0 to `FULL`
 * @param pixels indices in `cells` of the pixels that count
 */
export function lightColour(cells: Uint16Array, pixels: Int32Array): LightColour {
  const { log, power } = lightTables();
  const [least, most] = [TELLING.least * FULL, TELLING.most * FULL];
  const [us, vs] = [new Float32Array(pixels.length), new Float32Array(pixels.length)];
  let [count, sumRed, sumGreen, sumBlue] = [0, 0, 0, 0];
  for (const i of pixels) {
    const r = cells[i]!;
    const g = cells[i + 1]!;
    const b = cells[i + 2]!;
    if (r > most || g > most || b > most || r < least || g < least || b < least) continue;
    const u = log[r]! - log[g]!;
    const v = log[b]! - log[g]!;
    if (Math.max(Math.abs(u), Math.abs(v), Math.abs(u - v) / 1.3) > NEAR_NEUTRAL) continue;
    us[count] = u;
    vs[count] = v;
    count += 1;
    sumRed += power[r]!;
    sumGreen += power[g]!;
    sumBlue += power[b]!;
  }
  const neutralPart = count / pixels.length;
  if (count < LEAST_PIXELS) return { red: 0, blue: 0, neutralPart };
  const way = [Math.log(sumRed / sumGreen) / NORM, Math.log(sumBlue / sumGreen) / NORM] as const;
  const length = Math.hypot(...way);
  if (length === 0) return { red: 0, blue: 0, neutralPart };
  const leans = new Int32Array(BINS);
  for (let n = 0; n < count; n += 1) {
    const along = (us[n]! * way[0] + vs[n]! * way[1]) / length;
    leans[((along / MOST_LEAN + 1) * (BINS / 2)) | 0]! += 1;
  }
  const part = (share: number): number => {
    const wanted = Math.floor(count * share);
    let [bin, below] = [0, leans[0]!];
    while (below <= wanted && bin < BINS - 1) below += leans[++bin]!;
    return ((bin + 0.5) / (BINS / 2) - 1) * MOST_LEAN;
  };
  if (part(0.9) - part(0.1) < ONE_HUE) return { red: 0, blue: 0, neutralPart };
  const shared = Math.min(length, Math.max(0, part(EXCEPTIONS)));
  return { red: (way[0] / length) * shared, blue: (way[1] / length) * shared, neutralPart };
}
