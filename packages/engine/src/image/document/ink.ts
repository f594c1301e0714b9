import type { PaperSurface } from './paper-surface.ts';
import { findRules } from './rules.ts';
import { lineWidth, smoothPlane, type PagePlanes } from './page-planes.ts';

/** Share of the depth of ink from which a pixel is ink regardless of its edge. */
const STRONG = 0.4;
/** Share of the slope of ink's edges that a faint line has. What shows through from the back is blurred by the paper. */
const SLOPE = 0.3;
/** Standard deviations of noise: above the paper that a line has to leave, and in the slope of an edge. */
const NOISE = { depth: 3, slope: 3.5 } as const;
/** Level of paper, of 255, on a page without noise. */
export const PAPER_LEVEL = 232;
/** Largest level of ink, of 255: a stretch from there doubles the contrast. */
export const LIGHTEST_INK = 140;
/** Largest level of black, of 255: lighter ink is grey. */
const HIGHEST_BLACK = 40;

/** Levels of 255 that separate paper and ink after the division by the paper. */
export interface InkLevels {
  /** Darkest ink, the level of black that the light on the scanner's glass or in the room raises */
  black: number;
  /** Usual ink, which becomes black */
  ink: number;
  /** Certainly ink below it, and paper or its noise above it */
  paper: number;
}

/** Marks the samples of pictures on a page. @returns 1 in the cells of pictures */
export function inPicture({ pictures, cell, columns }: PaperSurface, x: number, y: number): boolean {
  return pictures[Math.floor(y / cell) * columns + Math.floor(x / cell)] === 1;
}

/** Level of 255 below which a pixel is ink regardless of its edge. */
export const strongInk = ({ ink }: InkLevels): number => 255 - STRONG * (255 - ink);

/** A surface whose black frames and bars count as pictures. */
export const withSolidAsPictures = (surface: PaperSurface): PaperSurface => ({
  ...surface,
  pictures: surface.pictures.map((isPicture, at) => isPicture | surface.solid[at]!),
});

/**
 * Measures the levels of paper and ink outside of pictures. Black frames and bars do not count where the page has other
 * ink: letters that are greyer than they would stay grey.
 * @returns undefined for a page without ink
 */
export function measureLevels(planes: PagePlanes, surface: PaperSurface): InkLevels | undefined {
  return levelsOf(planes, withSolidAsPictures(surface)) ?? levelsOf(planes, surface);
}

function levelsOf({ luma, width, height }: PagePlanes, surface: PaperSurface): InkLevels | undefined {
  const histogram = new Float64Array(256);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) if (!inPicture(surface, x, y)) histogram[luma[y * width + x]!]! += 1;
  }
  const noise = (255 * surface.noise) / lightOfPaper(surface, 0.5);
  const paper = Math.round(Math.max(160, Math.min(PAPER_LEVEL, 255 - NOISE.depth * noise)));
  const inked = histogram.slice(0, 180);
  const count = inked.reduce((sum, value) => sum + value, 0);
  if (count < 50) return undefined;
  const quantile = (part: number): number => levelAt(inked, part * count);
  return { black: Math.min(quantile(0.003), HIGHEST_BLACK), ink: Math.min(quantile(0.15), LIGHTEST_INK), paper };
}

/**
 * Finds the pixels of ink with their soft edges: dark ones, faint ones at an edge that is as sharp as that of ink, and rules,
 * whose luma it makes even.
 * What shows through from the back of the page, stains and folds are faint and blurred.
 * @returns `ink`: 1 for ink, 0 for paper; `rules`: 1 for the pixels of rules
 */
export function findInk(
  planes: PagePlanes,
  levels: InkLevels,
  surface: PaperSurface,
): { ink: Uint8Array; rules: Uint8Array } {
  const { width, height } = planes;
  // The darkest paper has the most noise after the division.
  const noise = (255 * surface.noise) / Math.max(20, lightOfPaper(surface, 0.05));
  const rules = findRules(planes);
  const luma = noise > 2 ? smoothPlane(planes.luma, width, height) : planes.luma;
  const left = noise > 2 ? 0.375 * noise : noise;
  const paper = Math.min(PAPER_LEVEL, 255 - NOISE.depth * 1.2 * left);
  const strong = strongInk(levels);
  const slope = Math.max(SLOPE * typicalSlope(luma, planes, levels), NOISE.slope * 1.4 * left);
  const seeds = new Uint8Array(luma.length);
  for (let y = 0; y < height; y += 1) {
    const [above, row, below] = [Math.max(0, y - 1) * width, y * width, Math.min(height - 1, y + 1) * width];
    for (let x = 0; x < width; x += 1) {
      const here = luma[row + x]!;
      if (here >= paper) continue;
      if (here < strong || rules[row + x] === 1) seeds[row + x] = 1;
      else {
        const across = luma[row + Math.min(width - 1, x + 1)]! - luma[row + Math.max(0, x - 1)]!;
        const down = luma[below + x]! - luma[above + x]!;
        if (across * across + down * down > slope * slope) seeds[row + x] = 1;
      }
    }
  }
  spread(seeds, width, height, lineWidth(planes));
  return { ink: seeds, rules };
}

/** Quantile of the light of the paper, in green or grey, samples of 255. */
export function lightOfPaper({ channels }: PaperSurface, part: number): number {
  const sorted = Float32Array.from(channels.at(Math.min(1, channels.length - 1))!).sort();
  return sorted[Math.floor(sorted.length * part)]!;
}

/** Level at which a histogram has counted `wanted` values; its last level if it has fewer. */
function levelAt(histogram: Float64Array, wanted: number): number {
  let level = 0;
  for (let below = histogram[0]!; below < wanted && level < histogram.length - 1;) below += histogram[(level += 1)]!;
  return level;
}

/** Median slope of the edges of ink, levels over two pixels. */
function typicalSlope(luma: Uint8Array, { width, height }: PagePlanes, { ink }: InkLevels): number {
  const histogram = new Float64Array(362);
  const [low, high] = [255 - 0.7 * (255 - ink), 255 - 0.3 * (255 - ink)];
  for (let y = 1; y < height - 1; y += 1) {
    for (let at = y * width + 1; at < (y + 1) * width - 1; at += 1) {
      const here = luma[at]!;
      if (here < low || here > high) continue;
      const slope = Math.hypot(luma[at + 1]! - luma[at - 1]!, luma[at + width]! - luma[at - width]!);
      histogram[Math.floor(slope)]! += 1;
    }
  }
  return levelAt(histogram, histogram.reduce((sum, value) => sum + value, 0) / 2);
}

/** Widens the marked area by a number of pixels in each direction, in place. */
function spread(marks: Uint8Array, width: number, height: number, reach: number): void {
  for (let y = 0; y < height; y += 1) widenLine(marks, y * width, 1, width, reach);
  for (let x = 0; x < width; x += 1) widenLine(marks, x, width, height, reach);
}

function widenLine(marks: Uint8Array, from: number, step: number, length: number, reach: number): void {
  let until = -1;
  for (let i = 0; i < length; i += 1) {
    const at = from + i * step;
    if (marks[at] === 1) {
      for (let k = Math.max(0, i - reach, until + 1); k < i; k += 1) marks[from + k * step] = 2;
      until = i + reach;
    } else if (i <= until) marks[at] = 2;
  }
  for (let i = 0; i < length; i += 1) if (marks[from + i * step] === 2) marks[from + i * step] = 1;
}
