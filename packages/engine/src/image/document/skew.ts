import { emptySamples, maxSample, type Picture } from '../picture.ts';
import { inPicture, type InkLevels } from './ink.ts';
import type { PagePlanes } from './page-planes.ts';
import type { PaperSurface } from './paper-surface.ts';

/** Largest turn that is undone, and the least that is worth interpolation, degrees. */
const MOST_SKEW = 5;
const LEAST_SKEW = 0.15;
/** The search goes further, so that a page with more skew is known as such, and its steps; degrees. */
const SEARCHED = 15;
const COARSE = 0.25;
const FINE = 0.02;
/** Longer side of the reduced page, pixels, and the number of its points of ink from which lines show a direction. */
const SIDE = 1200;
const LEAST_POINTS = 300;
/** How much clearer the lines are at the best angle than at the median of all. */
const CLEARER = 1.3;
/** Share of the ink that may leave the frame. */
const LOST = 0.0005;

export interface Skew {
  /** Degrees, clockwise on the screen; 0 for a straight page */
  angle: number;
  /** The page is skewed, and turning it would cut off ink */
  cut: boolean;
}

export const STRAIGHT: Skew = { angle: 0, cut: false };

/**
 * Measures the skew of the lines of text: the angle at which the rows of the page differ most from each other, after
 * Postl (1986).
 */
export function measureSkew(planes: PagePlanes, levels: InkLevels, surface: PaperSurface): Skew {
  const points = inkPoints(planes, levels, surface);
  if (points.length < 2 * LEAST_POINTS) return STRAIGHT;
  const angles = Array.from({ length: Math.round((2 * SEARCHED) / COARSE) + 1 }, (_, k) => k * COARSE - SEARCHED);
  const scores = angles.map((angle) => sharpness(points, angle));
  const best = scores.indexOf(Math.max(...scores));
  const median = [...scores].sort((a, b) => a - b)[scores.length >> 1]!;
  if (best === 0 || best === scores.length - 1 || scores[best]! < CLEARER * median) return STRAIGHT;
  let [angle, score] = [angles[best]!, scores[best]!];
  for (let near = angles[best]! - COARSE; near <= angles[best]! + COARSE; near += FINE) {
    const found = sharpness(points, near);
    if (found > score) [angle, score] = [near, found];
  }
  if (Math.abs(angle) < LEAST_SKEW || Math.abs(angle) > MOST_SKEW + FINE) return STRAIGHT;
  return { angle, cut: cutsOff(points, planes, angle) };
}

function sineAndCosine(degrees: number): [sin: number, cos: number] {
  const radians = (degrees * Math.PI) / 180;
  return [Math.sin(radians), Math.cos(radians)];
}

/** Pixels of the page for one of the reduced page. */
const reduction = ({ width, height }: PagePlanes): number => Math.max(1, Math.floor(Math.max(width, height) / SIDE));

/** Points of ink on a reduced page, as x and y from the centre in turn. */
function inkPoints(planes: PagePlanes, { ink }: InkLevels, surface: PaperSurface): Float32Array {
  const { luma, width, height } = planes;
  const step = reduction(planes);
  const dark = 255 - 0.5 * (255 - ink);
  const points: number[] = [];
  for (let y = 0; y < height; y += step) {
    for (let x = 0; x < width; x += step) {
      if (luma[y * width + x]! < dark && !inPicture(surface, x, y))
        points.push((x - width / 2) / step, (y - height / 2) / step);
    }
  }
  return Float32Array.from(points);
}

/** Sum of the squared differences of the rows' ink after a turn by an angle. */
function sharpness(points: Float32Array, degrees: number): number {
  const [sin, cos] = sineAndCosine(degrees);
  const rows = new Float64Array(2 * SIDE * 2 + 4);
  const middle = rows.length >> 1;
  for (let k = 0; k < points.length; k += 2) {
    const row = middle + points[k + 1]! * cos - points[k]! * sin;
    const at = Math.floor(row);
    rows[at]! += 1 - (row - at);
    rows[at + 1]! += row - at;
  }
  let sum = 0;
  for (let at = 1; at < rows.length; at += 1) sum += (rows[at]! - rows[at - 1]!) ** 2;
  return sum;
}

function cutsOff(points: Float32Array, planes: PagePlanes, degrees: number): boolean {
  const { width, height } = planes;
  const step = reduction(planes);
  const [sin, cos] = sineAndCosine(degrees);
  let lost = 0;
  for (let k = 0; k < points.length; k += 2) {
    const [x, y] = [points[k]! * step, points[k + 1]! * step];
    if (Math.abs(x * cos + y * sin) > width / 2 || Math.abs(y * cos - x * sin) > height / 2) lost += 1;
  }
  return lost > (LOST * points.length) / 2;
}

/** Turns a picture back by its skew about its centre, by bicubic interpolation with repeated edges. Its size stays. */
export function turnBack(picture: Picture, degrees: number, onPart?: (part: number) => void): Picture {
  const { width, height, channels, data } = picture;
  const result: Picture = { ...picture, data: emptySamples(picture, data.length) };
  const [sin, cos] = sineAndCosine(degrees);
  const [middleX, middleY] = [(width - 1) / 2, (height - 1) / 2];
  const max = maxSample(picture);
  const [weightsX, weightsY] = [new Float64Array(4), new Float64Array(4)];
  const columns = new Int32Array(4);
  for (let y = 0; y < height; y += 1) {
    if ((y & 63) === 0) onPart?.(y / height);
    for (let x = 0; x < width; x += 1) {
      const u = middleX + (x - middleX) * cos - (y - middleY) * sin;
      const v = middleY + (x - middleX) * sin + (y - middleY) * cos;
      const [i, j] = [Math.floor(u), Math.floor(v)];
      cubicWeights(u - i, weightsX);
      cubicWeights(v - j, weightsY);
      for (let k = 0; k < 4; k += 1) columns[k] = Math.min(width - 1, Math.max(0, i - 1 + k)) * channels;
      const to = (y * width + x) * channels;
      for (let c = 0; c < channels; c += 1) {
        let value = 0;
        for (let l = 0; l < 4; l += 1) {
          const row = Math.min(height - 1, Math.max(0, j - 1 + l)) * width * channels + c;
          const line =
            weightsX[0]! * data[row + columns[0]!]! +
            weightsX[1]! * data[row + columns[1]!]! +
            weightsX[2]! * data[row + columns[2]!]! +
            weightsX[3]! * data[row + columns[3]!]!;
          value += weightsY[l]! * line;
        }
        result.data[to + c] = Math.min(max, Math.max(0, value + 0.5));
      }
    }
  }
  return result;
}

/** Weights of the cubic of Keys (1981) with a = -0.5 for a fraction of a pixel. */
function cubicWeights(t: number, into: Float64Array): void {
  into[0] = ((-0.5 * t + 1) * t - 0.5) * t;
  into[1] = (1.5 * t - 2.5) * t * t + 1;
  into[2] = ((-1.5 * t + 2) * t + 0.5) * t;
  into[3] = (0.5 * t - 0.5) * t * t;
}

/** Whether a pixel of the turned picture lay outside of the original. */
export function liesOutside({ width, height }: Picture, degrees: number): (x: number, y: number) => boolean {
  const [sin, cos] = sineAndCosine(degrees);
  const [middleX, middleY] = [(width - 1) / 2, (height - 1) / 2];
  return (x, y) =>
    Math.abs((x - middleX) * cos - (y - middleY) * sin) > middleX + 0.5 ||
    Math.abs((x - middleX) * sin + (y - middleY) * cos) > middleY + 0.5;
}
