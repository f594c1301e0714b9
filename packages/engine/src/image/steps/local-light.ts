import { guidedModels, boxMean } from '../filters/box-filter.ts';
import { ramp, smoothStep } from '../ramps.ts';
import { FULL, type ToneThumbnail } from './tone-thumbnail.ts';

/** Offset added to the brightness, 0..1, before taking its logarithm, so that black has one. */
export const TOE = 0.02;
/** Window size for separating illumination from reflectance, as a fraction of each side. */
const WINDOW_PART = 1 / 15;
/** Variance of log brightness below which a window counts as evenly illuminated. */
const EVEN = 0.04;
const PIVOT = 0.48;
const DARK = 0.24;
/** A cell counts as dark in full from this brightness. Black hardly rises, and so would count again in a second enhancement. */
const BLACK = 0.06;
/**
 * Share of dark cells: up to the first value the picture needs no gain, from the second it gets the maximum of its
 * look.
 */
const DARK_PART = [0.32, 0.6] as const;
/** Coded brightness of a bright cell. */
const BRIGHT = 0.45;
/**
 * Share of bright cells: up to the first value, the dark surrounds a lit subject, as on a stage or behind a flash. From the second,
 * the subject stands against the light.
 */
const BRIGHT_PART = [0.22, 0.3] as const;
/** Maximum gain on coded values, as a logarithm. */
const MOST = Math.log(3.4);
/**
 * A cell of a brightness below `least` and a contrast below `contrast` is night, sky or empty and mostly stays dark.
 * From a brightness of `most`, it gets the full gain.
 */
const NIGHT = { least: 0.04, most: 0.12, contrast: 0.16 };
/** Share of the gain that such a cell still gets, so that it does not stand out. */
const NIGHT_PART = 0.2;
/** Standard deviation of a cell's mean, as a share of the noise of a pixel. */
const CELL_NOISE = 1 / 6;
/** Share of the gain below which the step does nothing. */
const NO_AMOUNT = 0.01;
/** Target of the median brightness of a face. */
const FACE_TARGET = 0.45;

/**
 * A map of local gain. The brightness of a pixel is its largest channel (as in LIME, Guo et al., 2017), coded, 0..1.
 * Logarithms are natural, of the brightness plus `TOE`.
 */
export interface LocalLight {
  width: number;
  height: number;
  /** The log gain of a pixel is `slope` times its log brightness plus `offset`, clamped to 0..`most` */
  slope: Float32Array;
  offset: Float32Array;
  /** Red, green and blue, or grey alone, without fine detail and noise, 0..1 */
  smooth: Float32Array[];
  most: number;
  /** Log gain of each cell, including that of the earlier changes */
  gains: Float32Array;
  /** Standard deviation of the noise in dark areas, 0..1 */
  noise: number;
}

export interface FaceArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface LocalLightOptions {
  /** Maximum strength of the look, 0..1 */
  strength: number;
  /** The picture before the earlier changes; by default there were none */
  before?: ToneThumbnail;
  /** Detected faces, which take precedence over all other criteria */
  faces?: readonly FaceArea[];
  /** Returns the standard deviation of the noise in dark areas, 0..1: its contrast is no subject */
  noise?: () => number;
}

/**
 * Plans the local gain of an underexposed picture. An edge-preserving filter estimates the illumination, and the gain
 * raises its dark areas towards the middle. A picture with few dark areas needs no gain; night and skies stay dark.
 * @returns undefined when the picture needs no gain
 */
export function planLocalLight(
  whole: ToneThumbnail,
  { strength, before, faces = [], noise: measureNoise = () => 0 }: LocalLightOptions,
): LocalLight | undefined {
  const thumbnail = halved(whole);
  const { width, height } = thumbnail;
  if (strength === 0 || width < 16 || height < 16) return undefined;
  const colours = coloursOf(thumbnail);
  const light = largest(colours);
  // Black counts as neither.
  const darkPart = shareOf(light, thumbnail, (value) => (value < DARK ? smoothStep(value / BLACK) : 0));
  const brightPart = shareOf(light, thumbnail, (value) => (value > BRIGHT ? 1 : 0));
  const bySubject = faces.length > 0 ? facesNeed(light, width, height, faces) : undefined;
  const byParts = smoothStep((darkPart - DARK_PART[0]) / (DARK_PART[1] - DARK_PART[0])) * ramp(brightPart, BRIGHT_PART);
  const amount = strength * (bySubject === undefined ? byParts : Math.max(bySubject, byParts / 2));
  if (amount < NO_AMOUNT) return undefined;

  const log = light.map((value) => Math.log(value + TOE));
  const radii = [width, height].map((side) => Math.max(2, Math.round(side * WINDOW_PART))) as [number, number];
  const models = guidedModels(log, width, height, radii, EVEN);
  const unchanged = before === undefined ? light : largest(coloursOf(halved(before)));
  const noise = measureNoise();
  const weight = daylight(log, unchanged, { width, height, radii, noise });
  const pivot = Math.log(PIVOT + TOE);
  const [slope, offset, gains] = [new Float32Array(log.length), new Float32Array(log.length), log.slice()];
  for (let i = 0; i < log.length; i += 1) {
    const part = amount * weight[i]!;
    slope[i] = -part * models.slope[i]!;
    offset[i] = part * (pivot - models.offset[i]!);
    const own = Math.min(MOST, Math.max(0, slope[i]! * log[i]! + offset[i]!));
    gains[i] = own + log[i]! - Math.log(unchanged[i]! + TOE);
  }
  return {
    width,
    height,
    slope,
    offset,
    smooth: colours.map((colour) => boxMean(colour, width, height, 1, 1)),
    most: MOST,
    gains,
    noise,
  };
}

/** Returns the three channels of each cell, 0..1. */
function coloursOf({ cells, opaque }: ToneThumbnail): Float32Array[] {
  return [0, 1, 2].map((c) => {
    const colour = new Float32Array(opaque.length);
    for (let cell = 0; cell < colour.length; cell += 1) colour[cell] = cells[3 * cell + c]! / FULL;
    return colour;
  });
}

/**
 * Halves the thumbnail, which is fine enough for illumination. Each cell is the mean of four; an odd last row or column
 * is dropped.
 */
function halved({ width, height, cells, opaque }: ToneThumbnail): ToneThumbnail {
  const [w, h] = [width >> 1, height >> 1];
  const half = { width: w, height: h, cells: new Uint16Array(w * h * 3), opaque: new Uint8Array(w * h) };
  for (let y = 0, to = 0; y < h; y += 1) {
    for (let x = 0; x < w; x += 1, to += 1) {
      const from = 2 * y * width + 2 * x;
      const below = from + width;
      half.opaque[to] = opaque[from]! & opaque[from + 1]! & opaque[below]! & opaque[below + 1]!;
      for (let c = 0; c < 3; c += 1) {
        const upper = cells[3 * from + c]! + cells[3 * from + 3 + c]!;
        half.cells[3 * to + c] = (upper + cells[3 * below + c]! + cells[3 * below + 3 + c]!) >> 2;
      }
    }
  }
  return half;
}

function largest([red, green, blue]: Float32Array[]): Float32Array {
  return red!.map((value, i) => Math.max(value, green![i]!, blue![i]!));
}

/** Returns the share of opaque cells, each weighed by its brightness. */
function shareOf(light: Float32Array, { opaque }: ToneThumbnail, weigh: (brightness: number) => number): number {
  let [count, sum] = [0, 0];
  for (let i = 0; i < light.length; i += 1) {
    if (opaque[i] === 0) continue;
    count += 1;
    sum += weigh(light[i]!);
  }
  return sum / Math.max(1, count);
}

/**
 * Returns the share of the full gain, 0..1, that brings the darker half of the faces to the target: the upper quartile
 * of their needs.
 */
function facesNeed(light: Float32Array, width: number, height: number, faces: readonly FaceArea[]): number {
  const needs = faces.map((face) => {
    const inside: number[] = [];
    for (let y = Math.floor(face.y * height); y < Math.min(height, (face.y + face.height) * height); y += 1) {
      for (let x = Math.floor(face.x * width); x < Math.min(width, (face.x + face.width) * width); x += 1) {
        if (x >= 0 && y >= 0) inside.push(light[y * width + x]!);
      }
    }
    const median = inside.sort((a, b) => a - b)[inside.length >> 1] ?? FACE_TARGET;
    const room = Math.log(PIVOT + TOE) - Math.log(median + TOE);
    return room <= 0 ? 0 : Math.log(FACE_TARGET / Math.max(0.01, median)) / room;
  });
  const need = needs.sort((a, b) => b - a)[(needs.length - 1) >> 2] ?? 0;
  return Math.min(1, Math.max(0, need));
}

interface DaylightOptions {
  width: number;
  height: number;
  radii: readonly [number, number];
  noise: number;
}

/**
 * Returns the share of the gain for each cell, `NIGHT_PART` to 1: a black area without contrast beyond the noise is intentionally
 * dark.
 * @param log log brightness after the earlier changes
 * @param light brightness before them, since they may have brightened night to grey
 */
function daylight(
  log: Float32Array,
  light: Float32Array,
  { width, height, radii: [radiusX, radiusY], noise }: DaylightOptions,
): Float32Array {
  const mean = boxMean(log, width, height, radiusX, radiusY);
  const square = boxMean(
    log.map((value) => value * value),
    width,
    height,
    radiusX,
    radiusY,
  );
  const weight = light.map((value, i) => {
    const byNoise = (CELL_NOISE * noise) / (value + TOE);
    const variance = Math.max(0, square[i]! - mean[i]! * mean[i]! - byNoise * byNoise);
    const contrast = smoothStep(Math.sqrt(variance) / NIGHT.contrast - 0.5);
    const lit = smoothStep((value - NIGHT.least) / (NIGHT.most - NIGHT.least));
    return NIGHT_PART + (1 - NIGHT_PART) * Math.max(lit, contrast);
  });
  return boxMean(weight, width, height, radiusX, radiusY);
}
