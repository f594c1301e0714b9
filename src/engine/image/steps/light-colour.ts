import { FULL } from './tone-thumbnail.ts';

/** Light that a coded value of sRGB stands for, both 0..1 (IEC 61966-2-1). Display P3 is coded the same, other RGB about so. */
export function linearLight(coded: number): number {
  return coded <= 0.04045 ? coded / 12.92 : ((coded + 0.055) / 1.055) ** 2.4;
}

/** The inverse of `linearLight`. */
export function codedLight(linear: number): number {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
}

/** Order of the Minkowski norm of shades of grey (Finlayson and Trezzi, 2004): bright things tell more of the light. */
const NORM = 6;
/** Logarithms of the ratios of linear channels below which a pixel may be a grey thing under coloured light. */
const NEAR_NEUTRAL = 1;
/** Coded values in which no channel is clipped or drowned. */
const TELLING = { least: 0.06, most: 0.97 };
/** Of the near-neutral pixels this part may lean less than the cast, or to the other side, and it is still a cast. */
const EXCEPTIONS = 0.15;
const LEAST_PIXELS = 50;
/** Leans that differ less, as a range of the middle four fifths, are one hue: a toned picture or a drawing, which is meant so. */
const ONE_HUE = 0.04;

/** The colour of the light that a picture was taken under. */
export interface LightColour {
  /** Natural logarithms of red over green and of blue over green, in linear light; 0 for neutral */
  red: number;
  blue: number;
  /** Part of the pixels that is near neutral, 0..1: how much there is to judge by */
  neutralPart: number;
}

/** Bins of the histogram of leans, from -`MOST_LEAN` to `MOST_LEAN`. */
const BINS = 8192;
const MOST_LEAN = 2;

/** Logarithm and power of linear light by coded value: both would be taken for each pixel. */
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
 * Estimates the light. Shades of grey over the near-neutral pixels say which way it leans; by how much is what nearly all
 * of those pixels share: under a lamp nothing is neutral, while a blue sky or a wooden table leaves other things as they are.
 * @param cells red, green and blue in turn, coded, 0 to `FULL`
 * @param pixels where the pixels that count begin in `cells`
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
