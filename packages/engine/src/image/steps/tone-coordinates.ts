import { codedLight, LUMA, linearLight } from './curves.ts';
import { ramp } from '../ramps.ts';
import { LEVELS, type ToneCorrection } from './tone-correction.ts';
import { GAMMA, PIXELS, type ToneSquare } from './tone-square.ts';

/** Logit to which the middle of a canonical picture is moved. */
const CENTRE = Math.log(0.45 / 0.55);
/** Distance in logits from which a pixel counts no more for the middle. */
const FAR = 2.5;
/** Bounds of a level before its logit. */
const [LEAST, MOST] = [0.004, 0.996];
/** Share of pixels below the level of black, and of pixels below the level of white. */
const [BLACK_PART, WHITE_PART] = [0.01, 0.99];
const MOST_BLACK = 0.85;
/** Levels of a pixel that is no white background, and of one that certainly is. */
const NEAR_WHITE = [0.9, 0.985] as const;
/** Largest white point that counts as light and not as the colour of the scene. */
const [MOST_WARM, MOST_TINT] = [0.8, 0.25];
/** Coded value of white that does not clip, and that nobody tells from white. */
const CLIPLESS = 0.975;

/** What light, lens and development give to a scene. Removing it gives the same canonical picture of a scene at any exposure or tint. */
export interface ToneCoordinates {
  /** Logarithms of red over blue, and of green over both, in the light of the scene */
  warm: number;
  tint: number;
  /** Level of white, stops below full */
  white: number;
  /** Level of black as a share of white, in power 2.2 */
  black: number;
  /** Logit of the brightness of the middle, as a share of white */
  middle: number;
}

/** @param found white point of the square, as the scene has it */
export function measureCoordinates(square: ToneSquare, found = whitePoint(square)): ToneCoordinates {
  const [warm, tint] = [within(found.warm, MOST_WARM), within(found.tint, MOST_TINT)];
  const [red, green, blue] = levelScales(warm, tint);
  const levels = new Float32Array(3 * PIXELS);
  const most = new Float32Array(PIXELS);
  for (let i = 0; i < PIXELS; i += 1) {
    const r = (levels[i] = square.levels[i]! * red);
    const g = (levels[PIXELS + i] = square.levels[PIXELS + i]! * green);
    const b = (levels[2 * PIXELS + i] = square.levels[2 * PIXELS + i]! * blue);
    most[i] = r > g ? (r > b ? r : b) : g > b ? g : b;
  }
  const top = Math.max(0.02, quantile(most.sort(), WHITE_PART));
  const luma = new Float32Array(PIXELS);
  const weights = new Float32Array(PIXELS);
  for (let i = 0; i < PIXELS; i += 1) {
    const r = levels[i]! / top;
    const g = levels[PIXELS + i]! / top;
    const b = levels[2 * PIXELS + i]! / top;
    luma[i] = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
    // A white background says nothing about the middle.
    const least = r < g ? (r < b ? r : b) : g < b ? g : b;
    weights[i] = least <= NEAR_WHITE[0] ? 1 : 1 - 0.9 * ramp(least, NEAR_WHITE);
  }
  const black = Math.min(MOST_BLACK, Math.max(0, quantile(luma.slice().sort(), BLACK_PART)));
  const logits = luma.map((value) => logit((value - black) / (1 - black)));
  const middle = black + (1 - black) / (1 + Math.exp(-robustMean(logits, weights)));
  return { warm, tint, white: GAMMA * Math.log2(top), black, middle: Math.log(middle / (1 - middle)) };
}

/** Returns the planes without their coordinates. */
export function canonicalPlanes(square: ToneSquare, coordinates: ToneCoordinates): Float32Array {
  const k = Math.exp(CENTRE - middleLogit(coordinates));
  const planes = levelPlanes(square, coordinates, coordinates);
  for (let i = 0; i < planes.length; i += 1) planes[i] = bend(planes[i]!, k);
  return planes;
}

/** Returns the planes with black at 0 and white at 1, and without a cast. */
export function levelPlanes(
  { levels }: ToneSquare,
  { white, black }: ToneCoordinates,
  { warm, tint }: { warm: number; tint: number },
): Float32Array {
  const planes = new Float32Array(levels.length);
  for (const [c, scale] of levelScales(warm, tint).entries()) {
    const whole = scale / 2 ** (white / GAMMA) / (1 - black);
    for (let i = c * PIXELS; i < (c + 1) * PIXELS; i += 1) planes[i] = levels[i]! * whole - black / (1 - black);
  }
  return planes;
}

/** Returns the logit of the middle of the levels of a picture, as a share of what lies between black and white. */
export const middleLogit = ({ middle, black }: ToneCoordinates): number => bent(middle, black);

/** Returns coordinates whose middle has moved by a difference of logits between the same black and white. */
export function withMiddleMoved(coordinates: ToneCoordinates, shift: number): ToneCoordinates {
  const { black } = coordinates;
  const level = black + (1 - black) / (1 + Math.exp(-(middleLogit(coordinates) + shift)));
  return { ...coordinates, middle: Math.log(level / (1 - level)) };
}

/**
 * Returns what moves a picture from coordinates to others: a table for each channel by coded values.
 * @param clipped share of the picture that is white in all channels, 0..1: white stays without colour
 */
export function tablesBetween(from: ToneCoordinates, to: ToneCoordinates, clipped: number): ToneCorrection {
  const [remove, give] = [remover(from), giver(to)];
  const tables = [0, 1, 2].map((c) =>
    Float32Array.from({ length: LEVELS }, (_, v) => give(c, remove(c, v / (LEVELS - 1)))),
  ) as [Float32Array, Float32Array, Float32Array];
  const part = ramp(clipped, [0.001, 0.01]);
  const most = Math.max(...tables.map((table) => table[LEVELS - 1]!));
  // A darkened picture clips no more, or else its white would be a sign of too much light again.
  const below = (1 - CLIPLESS) * ramp(middleLogit({ ...from, black: to.black }) - middleLogit(to), [0, 0.3]);
  for (const table of tables) {
    const missing = part * (most - table[LEVELS - 1]!);
    table.forEach((value, v) => {
      const end = ramp(v / (LEVELS - 1), [0.8, 1]) ** 2;
      table[v] = Math.min(1, value + missing * end) - below * end;
    });
  }
  return tables;
}

/** Removes coordinates from a coded value of a channel. */
function remover(coordinates: ToneCoordinates): (channel: number, coded: number) => number {
  const { warm, tint, white, black } = coordinates;
  const [scales, top, k] = [levelScales(warm, tint), 2 ** (white / GAMMA), Math.exp(CENTRE - middleLogit(coordinates))];
  return (channel, coded) => {
    const level = (linearLight(coded) ** (1 / GAMMA) * scales[channel]!) / top;
    return bend((level - black) / (1 - black), k);
  };
}

/** Gives coordinates to a canonical value of a channel. @returns a coded value, 0..1 */
function giver(coordinates: ToneCoordinates): (channel: number, value: number) => number {
  const { warm, tint, white, black } = coordinates;
  const [gains, top, k] = [gainsOf(warm, tint), 2 ** (white / GAMMA), Math.exp(middleLogit(coordinates) - CENTRE)];
  return (channel, value) => {
    const level = (black + (1 - black) * bend(value, k)) * top;
    return Math.min(1, codedLight(Math.min(1, Math.max(0, level) ** GAMMA * gains[channel]!)));
  };
}

/** The group of curves that keep 0 and 1 and multiply the odds by k; lines beyond 0 and 1, so that it stays a group. */
function bend(value: number, k: number): number {
  if (value >= 1) return 1 + (value - 1) / k;
  return value <= 0 ? value * k : (k * value) / (1 + (k - 1) * value);
}

const logit = (value: number): number => {
  const inside = Math.min(MOST, Math.max(LEAST, value));
  return Math.log(inside / (1 - inside));
};
/** The middle seen above black: less black then means more contrast, not less light. */
const bent = (middle: number, black: number): number => logit((1 / (1 + Math.exp(-middle)) - black) / (1 - black));

/** Gains in linear light of a cast, which keep the luma of a grey. */
export function gainsOf(warm: number, tint: number): [number, number, number] {
  const gains = [warm / 2 - tint / 3, (2 * tint) / 3, -warm / 2 - tint / 3].map(Math.exp);
  const luma = gains.reduce((sum, gain, c) => sum + gain * LUMA[c]!, 0);
  return gains.map((gain) => gain / luma) as [number, number, number];
}

/** Factors of the levels that remove a cast. */
export const levelScales = (warm: number, tint: number): [number, number, number] =>
  gainsOf(warm, tint).map((gain) => gain ** (-1 / GAMMA)) as [number, number, number];

const within = (value: number, most: number): number => Math.min(most, Math.max(-most, value));

/** Shades of grey (Finlayson and Trezzi, 2004) of power 4, of pixels that do not clip. @returns logarithms as in the coordinates */
export function whitePoint({ coded, light }: ToneSquare): { warm: number; tint: number } {
  let [red, green, blue] = [0, 0, 0];
  for (let i = 0; i < PIXELS; i += 1) {
    const most = Math.max(coded[i]!, coded[PIXELS + i]!, coded[2 * PIXELS + i]!);
    const seen = most <= 0.95 ? 1.001 : 1.001 - 0.97 * ramp(most, [0.95, 0.99]);
    red += seen * fourth(light[i]!);
    green += seen * fourth(light[PIXELS + i]!);
    blue += seen * fourth(light[2 * PIXELS + i]!);
  }
  const [r, g, b] = [red, green, blue].map((sum) => Math.log(sum) / 4) as [number, number, number];
  return { warm: r - b, tint: g - (r + b) / 2 };
}

function fourth(light: number): number {
  const square = Math.max(1e-4, light) ** 2;
  return square * square;
}

/** A mean on which far values have a bounded influence (Huber). */
function robustMean(values: Float32Array, weights: Float32Array): number {
  let [mean, total] = [quantile(values.slice().sort(), 0.5), 0];
  for (const weight of weights) total += weight;
  for (let round = 0; round < 12; round += 1) {
    let sum = 0;
    for (let i = 0; i < values.length; i += 1) sum += weights[i]! * Math.min(FAR, Math.max(-FAR, values[i]! - mean));
    mean += sum / total;
  }
  return mean;
}

/** @param sorted ascending values. @param part 0..1 */
export function quantile(sorted: Float32Array, part: number): number {
  const at = part * (sorted.length - 1);
  const left = Math.min(sorted.length - 2, Math.floor(at));
  return sorted[left]! + (sorted[left + 1]! - sorted[left]!) * (at - left);
}
