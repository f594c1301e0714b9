import { boxMean, guidedModels, leastAround, windowStatistics } from '../filters/box-filter.ts';
import { ramp, smoothStep } from '../ramps.ts';
import { leastAmount, liftOf, LOG_PIVOT, mayBeDeep, shadeDepth, TOE, type Shades } from './shade.ts';
import { FULL, type ToneThumbnail } from './tone-thumbnail.ts';

/** Window size for separating illumination from reflectance, as a fraction of each side. */
const WINDOW_PART = 1 / 15;
/** Variance of log brightness below which a window counts as evenly illuminated. */
const EVEN = 0.04;
/** Coded brightness from which a pixel gets its gain in full. Black gets none, so that gaps between bright objects stay black. */
const FULL_GAIN = 0.08;
/** Coded brightness of a bright cell, and the share of bright cells that shows where light comes from: none, and certainly. */
const BRIGHT = 0.45;
const BRIGHT_PART = [0.05, 0.3] as const;
/** Depth of shade, in logarithms, that is accepted in addition where nothing bright is seen. */
const UNLIT_DEPTH = 0.5 * Math.LN2;
/**
 * A cell of a brightness below `least` and a contrast below `contrast` is night, sky or empty and mostly stays dark.
 * From a brightness of `most`, it gets the full gain.
 */
const NIGHT = { least: 0.04, most: 0.12, contrast: 0.16 };
/** Share of the gain that such a cell still gets, so that it does not stand out. */
const NIGHT_PART = 0.2;
/** Standard deviation of a cell's mean, as a share of the noise of a pixel. */
const CELL_NOISE = 1 / 6;
/** Share of the depth of shade below which the step does nothing. */
const NO_AMOUNT = 0.01;
/** Depth, in logarithms, from which all cells around a dark face have the same gain. */
const FACE_DEPTH = 2;
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
  /** Brightness that counts at least for the share of the gain, 0..1 */
  floor: Float32Array;
  /** Red, green and blue, or grey alone, without fine detail and noise, 0..1 */
  smooth: Float32Array[];
  most: number;
  /** Log gain of each cell, including that of the earlier changes */
  gains: Float32Array;
  /** Standard deviation of the noise in dark areas, 0..1 */
  noise: number;
}

/** Brightness of a cell in the shade, whose black pixels are part of it, and of one whose black pixels are gaps between bright objects. */
const SHADE = [0.1, 0.25] as const;

/** Returns the share of the gain that a pixel gets by its own brightness, 0..1. */
export const gainShare = (brightness: number): number => smoothStep(brightness / FULL_GAIN);

/**
 * Returns the brightness that counts at least for the pixels of each cell, 0..1, so that black speckles do not stand out in raised shade:
 * that of the darkest neighbour, since gaps between bright leaves are dark in some.
 */
function shadeFloors(light: Float32Array, width: number): Float32Array {
  return leastAround(light, width).map((value) => value * (1 - ramp(value, SHADE)));
}

export interface FaceArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface LocalLightOptions {
  /** Accepted depth of the shade: natural logarithms of brightness below the middle */
  depth: number;
  /** Share of the light that a dark face lacks and gets, 0..1 */
  faceLight?: number;
  /** The picture before the earlier changes; by default there were none */
  before?: ToneThumbnail;
  /** Detected faces, which take precedence over all other criteria */
  faces?: readonly FaceArea[];
  /** Returns the standard deviation of the noise in dark areas, 0..1: its contrast is no subject */
  noise?: () => number;
}

/**
 * Plans the gain of a picture with shade. An edge-preserving filter estimates the illumination. Where the shade of what has contrast lies
 * deeper below the middle than accepted, the gain compresses all illumination below the middle until the depth is the accepted one. So a
 * second pass hardly changes it, and more light in is never less out: the gain falls more slowly than the illumination rises.
 * Night and skies stay dark.
 * @returns undefined when the picture needs no gain
 */
export function planLocalLight(
  whole: ToneThumbnail,
  { depth, faceLight = 0, before, faces = [], noise: measureNoise = () => 0 }: LocalLightOptions,
): LocalLight | undefined {
  const thumbnail = halved(whole);
  const { width, height } = thumbnail;
  if (width < 16 || height < 16) return undefined;
  const light = lightOf(thumbnail);
  const log = light.map((value) => Math.log(value + TOE));
  const radii = [width, height].map((side) => Math.max(2, Math.round(side * WINDOW_PART))) as [number, number];
  const window = windowStatistics(log, width, height, ...radii);
  const models = guidedModels(window, width, height, radii, EVEN);
  const below = log.map((value, i) => LOG_PIVOT - models.slope[i]! * value - models.offset[i]!);
  const lit = ramp(
    shareOf(thumbnail, (i) => light[i]! > BRIGHT),
    BRIGHT_PART,
  );
  const accepted = depth + UNLIT_DEPTH * (1 - lit);
  const { opaque } = thumbnail;
  const byFaces = faces.length > 0 ? faceLight * facesNeed(light, width, height, faces) : undefined;
  // Noise lowers the contrast, which is why its measurement is needed only where the picture without noise has deep shade.
  const most = { log, below, contrast: contrastOf(window.variance, light, 0), opaque };
  if (!byFaces && !mayBeDeep(most, accepted)) return undefined;

  const noise = measureNoise();
  const contrast = noise === 0 ? most.contrast : contrastOf(window.variance, light, noise);
  const unchanged = before === undefined || before === whole ? light : lightOf(halved(before));
  const contrastBefore = unchanged === light ? contrast : contrastOf(window.variance, unchanged, noise);
  const weight = boxMean(daylight(unchanged, contrastBefore), width, height, ...radii);
  const share = weight.map((value, i) => value * gainShare(light[i]!));
  const shades: Shades = { log, below, contrast, share, opaque };
  const shade = shadeDepth(shades);
  const byScene = leastAmount(shades, shade, accepted);
  const amount = byFaces === undefined ? byScene : Math.max(byFaces, byScene / 2);
  if (amount < NO_AMOUNT) return undefined;

  const deepest = amount > byScene ? Math.max(FACE_DEPTH, shade) : shade;
  const lift = liftOf(shades, amount, deepest);
  const [slope, offset, gains] = [new Float32Array(log.length), new Float32Array(log.length), log.slice()];
  for (let i = 0; i < log.length; i += 1) {
    const part = amount * weight[i]!;
    slope[i] = -part * models.slope[i]!;
    offset[i] = part * (LOG_PIVOT - models.offset[i]!);
    gains[i] = lift(i) + log[i]! - Math.log(unchanged[i]! + TOE);
  }
  return {
    width,
    height,
    slope,
    offset,
    floor: shadeFloors(light, width),
    smooth: coloursOf(thumbnail).map((colour) => boxMean(colour, width, height, 1, 1)),
    most: amount * deepest,
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

/** Returns the largest channel of each cell, 0..1. */
function lightOf({ cells, opaque }: ToneThumbnail): Float32Array {
  const light = new Float32Array(opaque.length);
  for (let cell = 0, from = 0; cell < light.length; cell += 1, from += 3) {
    light[cell] = Math.max(cells[from]!, cells[from + 1]!, cells[from + 2]!) / FULL;
  }
  return light;
}

/** Returns the share of opaque cells for which something holds. */
function shareOf({ opaque }: ToneThumbnail, holds: (cell: number) => boolean): number {
  let [count, found] = [0, 0];
  for (let i = 0; i < opaque.length; i += 1) {
    if (opaque[i] === 0) continue;
    count += 1;
    if (holds(i)) found += 1;
  }
  return found / Math.max(1, count);
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
    const room = LOG_PIVOT - Math.log(median + TOE);
    return room <= 0 ? 0 : Math.log(FACE_TARGET / Math.max(0.01, median)) / room;
  });
  const need = needs.sort((a, b) => b - a)[(needs.length - 1) >> 2] ?? 0;
  return Math.min(1, Math.max(0, need));
}

/**
 * Returns the contrast around each cell beyond that of the noise, 0..1.
 * @param light brightness that the noise belongs to
 * @param noise standard deviation, 0..1
 */
function contrastOf(variance: Float64Array, light: Float32Array, noise: number): Float32Array {
  return light.map((value, i) => {
    const byNoise = (CELL_NOISE * noise) / (value + TOE);
    return smoothStep(Math.sqrt(Math.max(0, variance[i]! - byNoise * byNoise)) / NIGHT.contrast - 0.5);
  });
}

/**
 * Returns the share of the gain for each cell, `NIGHT_PART` to 1: a black area without contrast is intentionally dark.
 * @param light brightness before earlier changes, since they may have brightened night to grey
 */
function daylight(light: Float32Array, contrast: Float32Array): Float32Array {
  return light.map((value, i) => {
    const lit = smoothStep((value - NIGHT.least) / (NIGHT.most - NIGHT.least));
    return NIGHT_PART + (1 - NIGHT_PART) * Math.max(lit, contrast[i]!);
  });
}
