import { lumaAt, lumaOf } from '../../packages/engine/src/image/luma.ts';
import type { Rgb } from '../quality/metrics.ts';

/** What a cleaned page keeps of the page before it, shares of 0 to 1; NaN where the page has none of it. */
export interface Kept {
  /** Share of the paper that is at least 250 in all channels */
  white: number;
  /** Share of the ink that is still darker than the paper around it */
  ink: number;
  /** Share of the coloured pixels whose hue is the same */
  colours: number;
}

/** A pixel is ink below this share of the light of the paper around it, and paper above the other one. */
const INK = 0.65;
const PAPER = 0.88;
/** Ink that is lighter than this share of its paper afterwards is lost. */
const LOST_INK = 0.8;
const WHITE = 250;
/** Paper is at least this light, as a share of the light of the page's paper, and its colour differs at most so much from it. */
const PAPER_LIGHT = 0.5;
const PAPER_HUE = 0.1;
/** Largest less smallest channel, as a share of the paper's, of a coloured pixel before and after; and least cosine of two hues */
const COLOURED = { before: 0.22, after: 0.08, hue: 0.9 } as const;
/** Pixels around a place that count as the same place */
const REACH = 2;
/** A page with fewer coloured pixels has no colours to keep. */
const LEAST_COLOURED = 0.005;

/** Places that are looked at for ink to find how a page is turned */
const GRID = 200_000;
/** How far cleaning turns a page at most, degrees, and moves it, as a share of its longer side */
const MOST_TURN = 5.5;
const MOST_MOVE = 0.1;

type Levels = Pick<Rgb, 'width' | 'height'> & { cell: number; across: number; levels: Float32Array };

/** Compares a page with cleaned ones, which may be turned and moved. */
export function comparedWith(before: Rgb): (after: Rgb) => Kept {
  const paper = paperLevels(before);
  const ink = inkOf(before, paper);
  return (after) => compare({ page: before, paper, ink }, after);
}

interface Reference {
  page: Rgb;
  paper: Levels;
  ink: Float32Array;
}

function compare({ page: before, paper, ink }: Reference, after: Rgb): Kept {
  const cleaned = paperLevels(after);
  const place = placeOf(ink, inkOf(after, cleaned), before, after);
  const [main, cleanPaper] = [mainPaper(paper), mainPaper(cleaned)];
  const counts = { paper: 0, white: 0, ink: 0, keptInk: 0, coloured: 0, keptColours: 0, pixels: 0 };
  for (let y = REACH; y < before.height - REACH; y += 2) {
    for (let x = REACH; x < before.width - REACH; x += 2) {
      const [u, v] = place(x, y);
      if (u < REACH || v < REACH || u >= after.width - REACH || v >= after.height - REACH) continue;
      counts.pixels += 1;
      const level = levelAt(paper, x, y);
      const light = lumaIn(before, x, y) / luma(level);
      const onPaper = isPaper(level, main);
      if (onPaper && light > PAPER) {
        counts.paper += 1;
        if (darkest(after, u, v) >= WHITE) counts.white += 1;
      }
      if (onPaper && light < INK) {
        counts.ink += 1;
        if (hasInk(after, cleaned, u, v)) counts.keptInk += 1;
      }
      const hue = hueAt(before, main, x, y);
      if (Math.hypot(...hue) < COLOURED.before) continue;
      counts.coloured += 1;
      if (hasHue(after, cleanPaper, hue, u, v)) counts.keptColours += 1;
    }
  }
  const share = (part: number, whole: number): number => (whole === 0 ? Number.NaN : part / whole);
  const { pixels, coloured } = counts;
  return {
    white: share(counts.white, counts.paper),
    ink: share(counts.keptInk, counts.ink),
    colours: coloured < LEAST_COLOURED * pixels ? Number.NaN : counts.keptColours / coloured,
  };
}

/** The light of the paper around each place, by channel: a high percentile of cells, spread to the cells of large ink. */
function paperLevels({ data, width, height }: Rgb): Levels {
  const cell = Math.max(8, Math.round(width / 80));
  const [across, down] = [Math.ceil(width / cell), Math.ceil(height / cell)];
  const cells = new Float32Array(3 * across * down);
  const counts = new Uint32Array(256);
  for (let at = 0; at < across * down; at += 1) {
    const [left, top] = [(at % across) * cell, Math.floor(at / across) * cell];
    for (let c = 0; c < 3; c += 1) {
      counts.fill(0);
      let [pixels, level] = [0, 255];
      for (let y = top; y < Math.min(height, top + cell); y += 2)
        for (let x = left; x < Math.min(width, left + cell); x += 2, pixels += 1)
          counts[data[3 * (y * width + x) + c]!]! += 1;
      for (let lighter = 0; level > 1 && (lighter += counts[level]!) < 0.2 * pixels;) level -= 1;
      cells[3 * at + c] = level;
    }
  }
  const most = around(cells, across, down, (near) => Math.max(...near));
  const levels = around(most, across, down, (near) => near.reduce((sum, level) => sum + level, 0) / near.length);
  return { width, height, cell, across, levels };
}

function around(cells: Float32Array, across: number, down: number, of: (near: number[]) => number): Float32Array {
  return cells.map((_, k) => {
    const [at, c] = [Math.floor(k / 3), k % 3];
    const [x, y] = [at % across, Math.floor(at / across)];
    const near: number[] = [];
    for (let v = Math.max(0, y - 1); v <= Math.min(down - 1, y + 1); v += 1)
      for (let u = Math.max(0, x - 1); u <= Math.min(across - 1, x + 1); u += 1)
        near.push(cells[3 * (v * across + u) + c]!);
    return of(near);
  });
}

type Colour = readonly [number, number, number];

const luma = (colour: Colour): number => lumaOf(...colour);

function levelAt({ cell, across, levels }: Levels, x: number, y: number): Colour {
  const at = 3 * (Math.floor(y / cell) * across + Math.floor(x / cell));
  return [levels[at]!, levels[at + 1]!, levels[at + 2]!];
}

/** The paper that most of the light half of the page has. */
function mainPaper({ levels }: Levels): Colour {
  const cells = Array.from({ length: levels.length / 3 }, (_, at): Colour => [
    levels[3 * at]!,
    levels[3 * at + 1]!,
    levels[3 * at + 2]!,
  ]);
  return cells.sort((a, b) => luma(a) - luma(b))[Math.floor(0.75 * cells.length)]!;
}

function isPaper(level: Colour, main: Colour): boolean {
  const light = luma(level) / luma(main);
  return light >= PAPER_LIGHT && level.every((value, c) => Math.abs(value / main[c]! / light - 1) <= PAPER_HUE);
}

const lumaIn = ({ data, width }: Rgb, x: number, y: number): number => lumaAt(data, 3 * (y * width + x), 3);

const darkest = ({ data, width }: Rgb, x: number, y: number): number => {
  const at = 3 * (y * width + x);
  return Math.min(data[at]!, data[at + 1]!, data[at + 2]!);
};

function hasInk(page: Rgb, paper: Levels, x: number, y: number): boolean {
  const most = LOST_INK * luma(levelAt(paper, x, y));
  for (let v = y - REACH; v <= y + REACH; v += 1)
    for (let u = x - REACH; u <= x + REACH; u += 1) if (lumaIn(page, u, v) < most) return true;
  return false;
}

/** Chroma of 3 × 3 pixels as shares of a paper: a JPEG stores colours at half the size. */
function hueAt({ data, width }: Rgb, paper: Colour, x: number, y: number): readonly [number, number] {
  const sums = [0, 0, 0];
  for (let v = y - 1; v <= y + 1; v += 1)
    for (let at = 3 * (v * width + x - 1), k = 0; k < 9; k += 1, at += 1) sums[k % 3]! += data[at]!;
  const [red, green, blue] = [sums[0]! / paper[0] / 9, sums[1]! / paper[1] / 9, sums[2]! / paper[2] / 9];
  return [red - green, (red + green) / 2 - blue];
}

function hasHue(page: Rgb, paper: Colour, [a, b]: readonly [number, number], x: number, y: number): boolean {
  for (const [dx, dy] of [
    [0, 0],
    [-1, -1],
    [1, -1],
    [-1, 1],
    [1, 1],
  ] as const) {
    const [c, d] = hueAt(page, paper, x + dx, y + dy);
    const chroma = Math.hypot(c, d);
    if (chroma >= COLOURED.after && (a * c + b * d) / (chroma * Math.hypot(a, b)) >= COLOURED.hue) return true;
  }
  return false;
}

/** Places of ink, x and y in turn. */
function inkOf(page: Rgb, paper: Levels): Float32Array {
  const main = mainPaper(paper);
  const places: number[] = [];
  const step = Math.max(1, Math.round(Math.sqrt((page.width * page.height) / GRID)));
  for (let y = 0; y < page.height; y += step)
    for (let x = 0; x < page.width; x += step) {
      const level = levelAt(paper, x, y);
      if (isPaper(level, main) && lumaIn(page, x, y) < INK * luma(level)) places.push(x, y);
    }
  return Float32Array.from(places);
}

interface Turn {
  sin: number;
  cos: number;
  x: number;
  y: number;
}

/** Finds where each pixel of a page lies on its cleaned one, by the rows and columns of their ink. */
function placeOf(
  before: Float32Array,
  after: Float32Array,
  from: Rgb,
  to: Rgb,
): (x: number, y: number) => [number, number] {
  const [left, top] = [from.width / 2, from.height / 2];
  const [width, height] = [Math.max(from.width, to.width), Math.max(from.height, to.height)];
  const turnOf = (degrees: number): Turn => {
    const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
    return { sin, cos, x: left - left * cos + top * sin, y: top - left * sin - top * cos };
  };
  let best = { score: -1, degrees: 0, x: 0, y: 0 };
  const room =
    Math.max(Math.abs(from.width - to.width), Math.abs(from.height - to.height)) + MOST_MOVE * Math.max(width, height);
  for (const [angles, step, bin, reach] of [
    [MOST_TURN, 0.25, 4, room],
    [0.25, 0.05, 2, 16],
    [0.05, 0.01, 1, 8],
  ] as const) {
    const around = { ...best, score: -1 };
    const columns = histogram(after, { sin: 0, cos: 1, x: 0, y: 0 }, bin, width, 0);
    const rows = histogram(after, { sin: 0, cos: 1, x: 0, y: 0 }, bin, height, 1);
    best = around;
    for (let k = 0; k <= 2 * Math.round(angles / step); k += 1) {
      const degrees = around.degrees + step * (k % 2 === 0 ? k / 2 : -(k + 1) / 2);
      const turn = turnOf(degrees);
      const x = shiftOf(histogram(before, turn, bin, width, 0), columns, around.x / bin, reach / bin);
      const y = shiftOf(histogram(before, turn, bin, height, 1), rows, around.y / bin, reach / bin);
      const score = x.score + y.score;
      if (score > best.score + 1e-9) best = { score, degrees, x: x.shift * bin, y: y.shift * bin };
    }
  }
  const { sin, cos, x: right, y: down } = turnOf(best.degrees);
  return (x, y) => [Math.round(x * cos - y * sin + right + best.x), Math.round(x * sin + y * cos + down + best.y)];
}

/** Ink by columns (axis 0) or rows (1) of a turned page, of length 1. */
function histogram(
  places: Float32Array,
  { sin, cos, x, y }: Turn,
  bin: number,
  length: number,
  axis: 0 | 1,
): Float32Array {
  const counts = new Float32Array(Math.ceil(length / bin) + 1);
  const [a, b, more] = axis === 0 ? [cos, -sin, x] : [sin, cos, y];
  for (let k = 0; k < places.length; k += 2) {
    const at = Math.round((places[k]! * a + places[k + 1]! * b + more) / bin);
    if (at >= 0 && at < counts.length) counts[at]! += 1;
  }
  const norm = Math.hypot(...counts) || 1;
  return counts.map((count) => count / norm);
}

/** The shift that brings most ink over ink, bins, and how much of it, 0 to 1. */
function shiftOf(
  one: Float32Array,
  other: Float32Array,
  near: number,
  reach: number,
): { shift: number; score: number } {
  let best = { shift: 0, score: -1 };
  const [center, most] = [Math.round(near), Math.ceil(reach)];
  for (let k = 0; k <= 2 * most; k += 1) {
    const shift = center + (k % 2 === 0 ? k / 2 : -(k + 1) / 2);
    let score = 0;
    for (let at = Math.max(0, -shift); at < Math.min(one.length, other.length - shift); at += 1)
      score += one[at]! * other[at + shift]!;
    if (score > best.score + 1e-6) best = { shift, score };
  }
  return best;
}
