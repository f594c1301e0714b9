import type { SkewReason } from '@burnish/contract/engine';
import { emptySamples, maxSample, type Picture } from '../picture.ts';
import { inPicture, type InkLevels } from './ink.ts';
import type { PageArea } from './page-area.ts';
import type { PagePlanes } from './page-planes.ts';
import type { PaperSurface } from './paper-surface.ts';

/** Largest turn that is undone, and the least that is worth interpolation, degrees. */
const MOST_SKEW = 15;
const LEAST_SKEW = 0.15;
/** The search goes further, so that a page with more skew has no turn, and its steps; degrees. */
const SEARCHED = 16;
const COARSE = 0.25;
const FINE = 0.02;
/** Longer side of the reduced page, pixels, and the number of its points of ink from which lines show a direction. */
const SIDE = 1200;
const LEAST_POINTS = 300;
/** How much clearer the lines are at the best angle than at the median of all. */
const CLEARER = 1.3;
/**
 * Lines that are steeper than `from` degrees may be slanted by design, as type on a poster. So they are much clearer than the median,
 * and than all lines that differ by more than `apart` degrees. Less clear ones are no lines.
 */
const STEEP = { from: 5, clearer: 6, thanOthers: 4, apart: 2, lines: 3 } as const;
/** Pixels of paper in a row of the reduced page, at which the shadow of a fold ends. */
const PAPER_BESIDE = 3;
/** Share of the ink that may leave the frame. */
const LOST = 0.0005;

export interface Skew {
  /** Degrees, clockwise on the screen; 0 for a straight page */
  angle: number;
  /** Why the page is not to be turned */
  stays?: SkewReason;
  /** So steep that letters have to prove that the lines are lines of text */
  steep: boolean;
  /** Whether lines of text show the direction */
  lined: boolean;
}

const UNLINED: Skew = { angle: 0, steep: false, lined: false };

/**
 * Measures the skew of the lines of text: the angle at which the rows of the page differ most from each other, after
 * Postl (1986).
 */
export function measureSkew(planes: PagePlanes, levels: InkLevels, surface: PaperSurface, area: PageArea): Skew {
  const points = inkPoints(planes, levels, surface, area);
  if (points.length < 2 * LEAST_POINTS) return UNLINED;
  const angles = Array.from({ length: Math.round((2 * SEARCHED) / COARSE) + 1 }, (_, k) => k * COARSE - SEARCHED);
  const scores = angles.map((angle) => sharpness(points, angle));
  const best = scores.indexOf(Math.max(...scores));
  const median = [...scores].sort((a, b) => a - b)[scores.length >> 1]!;
  if (best === 0 || best === scores.length - 1 || scores[best]! < CLEARER * median) return UNLINED;
  const steep = Math.abs(angles[best]!) > STEEP.from;
  const isWeak = steep && scores[best]! < STEEP.lines * median;
  if (isWeak) return { ...UNLINED, lined: true };
  const others = Math.max(...scores.filter((_, k) => Math.abs(angles[k]! - angles[best]!) > STEEP.apart));
  const isClear = scores[best]! >= STEEP.clearer * median && scores[best]! >= STEEP.thanOthers * others;
  let [angle, score] = [angles[best]!, scores[best]!];
  for (let near = angles[best]! - COARSE; near <= angles[best]! + COARSE; near += FINE) {
    const found = sharpness(points, near);
    if (found > score) [angle, score] = [near, found];
  }
  if (Math.abs(angle) < LEAST_SKEW || Math.abs(angle) > MOST_SKEW + FINE) return { ...UNLINED, lined: true };
  const stays = steep && !isClear ? 'slanted' : cutsOff(points, planes, angle, area) ? 'cut' : undefined;
  return { angle, steep, lined: true, ...(stays && { stays }) };
}

function sineAndCosine(degrees: number): [sin: number, cos: number] {
  const radians = (degrees * Math.PI) / 180;
  return [Math.sin(radians), Math.cos(radians)];
}

/** Pixels of the page for one of the reduced page. */
const reduction = ({ width, height }: PagePlanes): number => Math.max(1, Math.floor(Math.max(width, height) / SIDE));

/** Points of ink in an area of a reduced page, as x and y from its centre in turn. */
function inkPoints(planes: PagePlanes, { ink }: InkLevels, surface: PaperSurface, area: PageArea): Float32Array {
  const { luma, width, height } = planes;
  const step = reduction(planes);
  const dark = 255 - 0.5 * (255 - ink);
  const points: number[] = [];
  for (let y = 0; y < height; y += step) {
    const isDark = (x: number): boolean => luma[y * width + x]! < dark;
    const [from, to] = withoutShadow(isDark, area, { y, width, step });
    for (let x = from; x < to; x += step) {
      if (isDark(x) && area.holds(x, y) && !inPicture(surface, x, y))
        points.push((x - (area.left + area.right) / 2) / step, (y - height / 2) / step);
    }
  }
  return Float32Array.from(points);
}

/** Columns of a row without the shadow at the fold, which is dark up to the first paper beside it. */
function withoutShadow(
  isDark: (x: number) => boolean,
  { left, foldAt }: PageArea,
  { y, width, step }: { y: number; width: number; step: number },
): [from: number, to: number] {
  if (foldAt === undefined) return [0, width];
  const fold = Math.min(width - 1, Math.max(0, Math.round(foldAt(y) / step) * step));
  const out = left === 0 ? -step : step;
  let edge = fold;
  for (let x = fold, paper = 0; x >= 0 && x < width && paper < PAPER_BESIDE; x += out) {
    paper = isDark(x) ? 0 : paper + 1;
    if (paper === 0) edge = x;
  }
  return left === 0 ? [0, edge] : [edge + step, width];
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

function cutsOff(points: Float32Array, planes: PagePlanes, degrees: number, { left, right }: PageArea): boolean {
  const [width, height] = [right - left, planes.height];
  const step = reduction(planes);
  const [sin, cos] = sineAndCosine(degrees);
  let lost = 0;
  for (let k = 0; k < points.length; k += 2) {
    const [x, y] = [points[k]! * step, points[k + 1]! * step];
    if (Math.abs(x * cos + y * sin) > width / 2 || Math.abs(y * cos - x * sin) > height / 2) lost += 1;
  }
  return lost > (LOST * points.length) / 2;
}

/** An area of a page, and its skew in degrees, clockwise on the screen. */
export interface TurnedArea {
  area: PageArea;
  angle: number;
}

/** Maps a pixel of a straight area to its place on the skewed page. */
function createSource(
  { area: { left, right }, angle }: TurnedArea,
  height: number,
): (x: number, y: number) => [number, number] {
  const [sin, cos] = sineAndCosine(angle);
  const [middleX, middleY] = [(left + right - 1) / 2, (height - 1) / 2];
  return (x, y) => [
    middleX + (x - middleX) * cos - (y - middleY) * sin,
    middleY + (x - middleX) * sin + (y - middleY) * cos,
  ];
}

/**
 * Turns areas of a picture back by their skew, each about its centre, by bicubic interpolation with repeated edges. Their
 * sizes stay.
 * @param areas beside each other, over the whole width
 */
export function turnBack(picture: Picture, areas: readonly TurnedArea[], onPart?: (part: number) => void): Picture {
  const { width, height, channels, data } = picture;
  const result: Picture = { ...picture, data: emptySamples(picture, data.length) };
  const max = maxSample(picture);
  const [weightsX, weightsY] = [new Float64Array(4), new Float64Array(4)];
  const columns = new Int32Array(4);
  const sources = areas.map((each) => ({ ...each.area, sourceOf: createSource(each, height) }));
  for (let y = 0; y < height; y += 1) {
    if ((y & 63) === 0) onPart?.(y / height);
    for (const { left, right, sourceOf } of sources) {
      for (let x = left; x < right; x += 1) {
        const [u, v] = sourceOf(x, y);
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

/** Whether a pixel of the turned picture lay outside of the original, or beyond the fold. */
export function liesOutside(
  { width, height }: Picture,
  areas: readonly TurnedArea[],
): (x: number, y: number) => boolean {
  const turned = areas
    .filter(({ angle }) => angle !== 0)
    .map((each) => ({ ...each.area, sourceOf: createSource(each, height) }));
  return (x, y) => {
    const area = turned.find(({ left, right }) => x >= left && x < right);
    if (area === undefined) return false;
    const [u, v] = area.sourceOf(x, y);
    return u < -0.5 || u > width - 0.5 || v < -0.5 || v > height - 0.5 || !area.holds(u, v);
  };
}
