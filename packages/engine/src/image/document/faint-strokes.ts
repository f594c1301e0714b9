import { ramp } from '../ramps.ts';
import type { InkLevels } from './ink.ts';
import type { Marks } from './marks.ts';
import { lineWidth, mostAround, type PagePlanes } from './page-planes.ts';

/** Cells on each side that show the core and the edges of a stroke. A cell is as wide as a thin line. */
const REACH = 2;
/** Least longer side of a mark, cells: grain of the paper has smaller marks. */
const LEAST_SIDE = 8;
/** Lightest usual ink, level of 255, that counts as dark: the edges of fainter ink are no measure. */
const DARK = 110;
/** Least number of cells near dark ink that show how sharp its edges are. */
const LEAST_DARK = 200;
/**
 * Sharpness of an edge as a share of that of dark ink, from which a stroke may be and certainly is ink of this side of the page. What
 * shows through from the back is blurred by the paper.
 */
const SHARP = [0.82, 0.95] as const;
/** Deviations of noise by which the steepest of some slopes over two pixels exceeds the true one. */
const NOISE_OF_SLOPE = 2.5;
/** Lightest core that needs no more contrast, share of white; share of its further lightness that a core keeps; most contrast. */
const CORE = { light: 0.3, kept: 0.35, most: 2.5 } as const;

/** The ink of a page. */
export interface PageInk {
  /** 1 for the pixels of ink and its edges */
  ink: Uint8Array;
  /** 1 for the pixels of rules */
  rules: Uint8Array;
  /** The components of the ink */
  marks: Marks;
}

/** Contrasts of the pixels of a page. */
export interface FaintStrokes {
  /** Moves to a row, from the top down. @returns how many times the contrast of each of its pixels is raised */
  contrastsOf(y: number): Float32Array;
}

/**
 * Finds strokes that are fainter than the usual ink of the page, and as sharp. Hairlines, pencil and worn print get more contrast,
 * the more the fainter they are. Rules keep theirs, and so does what shows through from the back: it is faint and blurred.
 * @param lightness of a level of `planes.luma` in the clean page: 0 for black, and 1 for white
 * @param noise standard deviation of the luma of the paper, levels of 255
 */
export function findFaintStrokes(
  planes: PagePlanes,
  levels: InkLevels,
  { ink, rules, marks }: PageInk,
  { lightness, noise }: { lightness: (level: number) => number; noise: number },
): FaintStrokes {
  const cell = lineWidth(planes);
  const across = Math.ceil(planes.width / cell);
  const contrasts =
    levels.ink > DARK
      ? undefined
      : contrastsOfCells(planes, levels, { ink, rules }, { lightness, noise, across, cell });
  const isLarge = (mark: number): boolean => Math.max(marks.width[mark]!, marks.height[mark]!) >= LEAST_SIDE * cell;
  const row = new Float32Array(planes.width).fill(1);
  let run = 0;
  return {
    contrastsOf(y) {
      if (contrasts === undefined) return row;
      row.fill(1);
      const cells = Math.floor(y / cell) * across;
      for (; run < marks.rows.length && marks.rows[run]! <= y; run += 1) {
        if (marks.rows[run] !== y || !isLarge(marks.component[run]!)) continue;
        for (let x = marks.starts[run]!; x < marks.ends[run]!; x += 1)
          row[x] = contrasts[cells + Math.floor(x / cell)]!;
      }
      return row;
    },
  };
}

/** @returns the contrast of each cell; undefined for a page whose dark ink is no measure */
function contrastsOfCells(
  planes: PagePlanes,
  levels: InkLevels,
  { ink, rules }: Pick<PageInk, 'ink' | 'rules'>,
  {
    lightness,
    noise,
    across,
    cell,
  }: { lightness: (level: number) => number; noise: number; across: number; cell: number },
): Float32Array | undefined {
  const { luma, width, height } = planes;
  const count = across * Math.ceil(height / cell);
  const [depths, slopes, ruled] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
  for (let y = 1; y < height - 1; y += 1) {
    const cells = Math.floor(y / cell) * across;
    for (let x = 1, at = y * width + 1; x < width - 1; x += 1, at += 1) {
      if (ink[at] === 0) continue;
      const to = cells + Math.floor(x / cell);
      const [dx, dy] = [luma[at + 1]! - luma[at - 1]!, luma[at + width]! - luma[at - width]!];
      const [depth, slope] = [255 - luma[at]!, dx * dx + dy * dy];
      if (depth > depths[to]!) depths[to] = depth;
      if (slope > slopes[to]!) slopes[to] = slope;
      if (rules[at] === 1) ruled[to] = 1;
    }
  }
  const deepest = mostAround(depths, across, REACH);
  const steepest = mostAround(slopes, across, REACH);
  const nearRules = mostAround(ruled, across, 1);
  const sharpness = new Float32Array(count);
  const dark: number[] = [];
  for (let at = 0; at < count; at += 1) {
    if (deepest[at] === 0) continue;
    sharpness[at] = Math.max(0, Math.sqrt(steepest[at]!) - NOISE_OF_SLOPE * noise) / deepest[at]!;
    if (depths[at]! > 0 && deepest[at]! >= 255 - levels.ink) dark.push(sharpness[at]!);
  }
  const usual = median(Float32Array.from(dark));
  if (usual === undefined) return undefined;
  const contrasts = new Float32Array(count).fill(1);
  for (let at = 0; at < count; at += 1) {
    const share = sharpness[at]! / usual;
    if (nearRules[at] === 1 || share <= SHARP[0]) continue;
    contrasts[at] = 1 + ramp(share, SHARP) * (contrastOfCore(lightness(255 - deepest[at]!)) - 1);
  }
  return contrasts;
}

/** The contrast that a core of this lightness, 0 to 1, gets. */
function contrastOfCore(light: number): number {
  if (light <= CORE.light) return 1;
  return Math.min(CORE.most, (1 - CORE.light - CORE.kept * (light - CORE.light)) / Math.max(1e-6, 1 - light));
}

function median(values: Float32Array): number | undefined {
  return values.length < LEAST_DARK ? undefined : values.sort()[values.length >> 1];
}
