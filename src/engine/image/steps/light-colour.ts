import { linearLight, LUMA } from './curves.ts';
import { FULL } from './tone-thumbnail.ts';

/**
 * Order of the Minkowski norm of shades of grey (Finlayson and Trezzi, 2004): bright pixels indicate the illuminant
 * best.
 */
const NORM = 6;
/**
 * A pixel counts as far as no channel is clipped or too dark to have a colour: its largest channel counts in full from the first
 * value of `dark` to the first of `bright`, and not at all beyond the second ones. White counts too, although it is clipped: from the
 * second value of `white` for the smallest channel. A smallest channel below `darkest` has no colour.
 */
const TELLING = { dark: [0.06, 0.03], bright: [0.93, 0.985], white: [0.85, 0.93], darkest: 0.003 } as const;
/** Weight of a pixel that counts in full. */
const FULL_WEIGHT = 16;
/** Distance from the illuminant, in logarithms of linear light, within which a pixel may be a grey surface. */
const NEAR = 0.47;
/** Share of the near pixels that may deviate less than the cast, or to the other side, without refuting the cast. */
const EXCEPTIONS = 0.17;
/** Share of near pixels from which the estimate has its full confidence. */
const ENOUGH_NEAR = 0.25;
/**
 * Deviation of the least tinted fifth of the brightnesses, as a share of the whole deviation. The shadows of a sunset stay below the
 * first value. A light that tints everything reaches the second.
 */
const TINTED_BANDS = [0.05, 0.2] as const;
/** Deviations below the first value are no cast. */
const NOTICEABLE = [0.01, 0.1] as const;
/** Deviations above the second value are the colour of an object that fills the picture. */
const STRONG = [1, 1.3] as const;
const GREEN = [0.6, 0.9] as const;
/** Deviations towards blue, along the line from red to blue: above the second value they are the colour of dusk. Few cameras err so far. */
const BLUE = [0.9, 1.05] as const;
const LEAST_PIXELS = 50;
/**
 * Deviations that span less than this, over the middle four fifths, are a single hue: an intentionally toned picture or
 * a drawing.
 */
const ONE_HUE = 0.04;

export interface LightColour {
  /** Natural logarithms of red over green and of blue over green, in linear light; 0 for neutral */
  red: number;
  blue: number;
}

const NEUTRAL: LightColour = { red: 0, blue: 0 };

const BANDS = 5;
const BINS = 4096;
const MOST_LEAN = 2;

/** Logarithm and power of linear light by coded value, precomputed to avoid both per pixel. */
let tables: { log: Float32Array; power: Float64Array; weight: Uint8Array; whiteness: Uint8Array } | undefined;

function lightTables(): NonNullable<typeof tables> {
  if (tables) return tables;
  const log = new Float32Array(FULL + 1);
  const power = new Float64Array(FULL + 1);
  const weight = new Uint8Array(FULL + 1);
  const whiteness = new Uint8Array(FULL + 1);
  for (let value = 0; value <= FULL; value += 1) {
    const light = linearLight(value / FULL);
    log[value] = Math.log(light);
    power[value] = light ** NORM;
    const [coded, { dark, bright, white }] = [value / FULL, TELLING];
    const share = ramp(coded, [dark[1], dark[0]]) * (1 - ramp(coded, bright));
    whiteness[value] = Math.round(FULL_WEIGHT * ramp(coded, white));
    weight[value] = Math.round(FULL_WEIGHT * share);
  }
  tables = { log, power, weight, whiteness };
  return tables;
}

/** The pixels that indicate the illuminant: their deviations from neutral, their weights and their coded luma. */
interface TellingPixels {
  count: number;
  /** Sum of the weights */
  total: number;
  weights: Uint8Array;
  us: Float32Array;
  vs: Float32Array;
  lumas: Uint16Array;
}

/**
 * Estimates the illuminant, and reduces the estimate as far as it is uncertain. Shades of grey gives the direction of the colour cast.
 * The deviation that nearly all pixels near it share gives its amount: a blue sky or a wooden table does not tint other surfaces.
 * A cast tints dark and bright areas alike, unlike a sunset or a spotlight.
 * @param cells red, green and blue in turn, coded, 0 to `FULL`
 * @param pixels indices in `cells` of the pixels that count
 */
export function lightColour(cells: Uint16Array, pixels: Int32Array): LightColour {
  const { telling, sums } = tellingPixels(cells, pixels);
  if (telling.total < LEAST_PIXELS * FULL_WEIGHT) return NEUTRAL;
  const way = [Math.log(sums[0]! / sums[1]!) / NORM, Math.log(sums[2]! / sums[1]!) / NORM] as const;
  const length = Math.hypot(...way);
  if (length === 0) return NEUTRAL;
  const { along, near } = deviations(telling, way, length);
  if (near.total < LEAST_PIXELS * FULL_WEIGHT || near.part(0.9) - near.part(0.1) < ONE_HUE) return NEUTRAL;
  const shared = Math.min(length, Math.max(0, near.part(EXCEPTIONS)));
  const sure =
    ramp(length, NOTICEABLE) *
    (1 - ramp(length, STRONG)) *
    ramp(near.total / telling.total, [0, ENOUGH_NEAR]) *
    (1 - ramp(Math.abs(way[0] + way[1]) / 2, GREEN)) *
    (1 - ramp((way[1] - way[0]) / Math.SQRT2, BLUE)) *
    ramp(leastBand(telling, along) / length, TINTED_BANDS);
  return { red: (way[0] / length) * shared * sure, blue: (way[1] / length) * shared * sure };
}

/** Finds the pixels that are neither clipped nor too dark, and sums the powers of their linear light by channel. */
function tellingPixels(cells: Uint16Array, pixels: Int32Array): { telling: TellingPixels; sums: number[] } {
  const { log, power, weight, whiteness } = lightTables();
  const least = TELLING.darkest * FULL;
  const [us, vs] = [new Float32Array(pixels.length), new Float32Array(pixels.length)];
  const [lumas, weights] = [new Uint16Array(pixels.length), new Uint8Array(pixels.length)];
  let [count, total, red, green, blue] = [0, 0, 0, 0, 0];
  for (const i of pixels) {
    const r = cells[i]!;
    const g = cells[i + 1]!;
    const b = cells[i + 2]!;
    const darkest = Math.min(r, g, b);
    const own = Math.max(weight[Math.max(r, g, b)]!, whiteness[darkest]!);
    if (own === 0 || darkest < least) continue;
    us[count] = log[r]! - log[g]!;
    vs[count] = log[b]! - log[g]!;
    lumas[count] = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
    weights[count] = own;
    count += 1;
    total += own;
    red += own * power[r]!;
    green += own * power[g]!;
    blue += own * power[b]!;
  }
  return { telling: { count, total, us, vs, weights, lumas }, sums: [red, green, blue] };
}

/** The deviations of all pixels along a direction, and the histogram of those of the pixels near its end. */
function deviations(
  { count, us, vs, weights }: TellingPixels,
  [red, blue]: readonly [number, number],
  length: number,
): { along: Float32Array; near: Histogram } {
  const along = new Float32Array(count);
  const near = new Histogram();
  for (let n = 0; n < count; n += 1) {
    const u = us[n]!;
    const v = vs[n]!;
    along[n] = (u * red + v * blue) / length;
    if ((u - red) ** 2 + (v - blue) ** 2 < NEAR ** 2) near.add(along[n]!, weights[n]!);
  }
  return { along, near };
}

/** Returns the smallest median deviation of the fifths of the pixels by brightness. */
function leastBand({ count, total, weights, lumas }: TellingPixels, along: Float32Array): number {
  const byLuma = new Int32Array(FULL + 1);
  for (let n = 0; n < count; n += 1) byLuma[lumas[n]!]! += weights[n]!;
  const bandByValue = new Uint8Array(FULL + 1);
  for (let value = 0, below = 0; value <= FULL; value += 1) {
    bandByValue[value] = Math.min(BANDS - 1, Math.floor((below * BANDS) / total));
    below += byLuma[value]!;
  }
  const bands = Array.from({ length: BANDS }, () => new Histogram());
  for (let n = 0; n < count; n += 1) bands[bandByValue[lumas[n]!]!]!.add(along[n]!, weights[n]!);
  return Math.min(...bands.filter((band) => band.total > 0).map((band) => band.part(0.5)));
}

/** A histogram of weighted deviations. Deviations beyond `MOST_LEAN` count as `MOST_LEAN`. */
class Histogram {
  total = 0;
  readonly #bins = new Int32Array(BINS);

  add(lean: number, weight: number): void {
    const bin = ((lean / MOST_LEAN + 1) * (BINS / 2)) | 0;
    this.#bins[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin]! += weight;
    this.total += weight;
  }

  /** Returns the deviation that a share of the pixels stays below. */
  part(share: number): number {
    const wanted = Math.floor(this.total * share);
    let [bin, below] = [0, this.#bins[0]!];
    while (below <= wanted && bin < BINS - 1) below += this.#bins[++bin]!;
    return ((bin + 0.5) / (BINS / 2) - 1) * MOST_LEAN;
  }
}

/** Returns 0 up to 0, 1 from 1, and a smooth step between them. */
export function smoothStep(value: number): number {
  const t = value < 0 ? 0 : value > 1 ? 1 : value;
  return t * t * (3 - 2 * t);
}

/** Returns 0 up to the first value, 1 from the second, and the share of the way between them. */
export function ramp(value: number, [from, to]: readonly [number, number]): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}
