import { lumaAt } from '../luma.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { likelyPapers } from './find-paper.ts';
import type { PageCells } from './page-cells.ts';

/** Largest difference of a channel's share of the light, from one, of a tint that is not judged. */
const PALE = 0.1;
/** Lamps and age leave the least of blue, and less of green than of red. Yellow paper takes blue alone: ratios of two channels. */
const YELLOW = { greenToBlue: 1.35, redToGreen: 1.09 } as const;
/** Shares of the luma that red, green and blue have in the light of a room or of the sky whose white a camera has missed. */
const LIGHT = [
  [0.6, 1.25],
  [0.85, 1.2],
  [0.5, 1.7],
] as const;
/** Share of a cell's pixels near its brightest ones, and of the brightest light, from which ink on it is compared with it. */
const SHEET = { even: 0.3, light: 0.6 } as const;
/** Levels of ink and of blank paper, and least coverage of a cell by ink, as shares of the cell's paper. */
const INKED = { ink: 0.6, blank: 0.85, coverage: 0.05 } as const;
/** Share of a cell's pixels below which its ink lies, and that of the cells whose ink is as dark as the page's. */
const [DARKEST, DARK_CELLS] = [0.02, 0.25];
/** Least level of ink, of 255: darker one has no colour to compare. Ink above this share of the paper is mixed with it by blur. */
const [LEAST_INK, FAINT_INK] = [16, 0.4];
/** Cells of ink that tell, and the distance of blank paper from them, cells. */
const [LEAST_CELLS, REACH] = [40, 3];
/** Share of neutral light in the ink: as light colours it, and from which the paper alone has the colour. */
const NEUTRAL_INK = { light: [-1.2, 0.15], paper: 0.6 } as const;
/** Share of the cells, at least as light as this share of the paper's light, that has at most this share of its colour. */
const WHITE = { part: 0.015, light: 0.85, colour: 0.4 } as const;

/** What gives the paper its colour: the light on it, or the paper itself; `none` where it is pale, aged or in the light of a lamp, or nothing tells. */
export interface PaperTint {
  from: 'light' | 'paper' | 'none';
  /** The shares of its luma in the channels */
  colour: readonly number[];
}

/**
 * Finds whether a tint of the paper is a cast. Light colours all that it falls on, and so ink has the colour of the paper. On paper of its
 * own colour, ink is more neutral, and white things beside it stay white.
 */
export function findPaperTint(picture: Picture, cells: PageCells): PaperTint {
  const none: PaperTint = { from: 'none', colour: cells.channels.map(() => 1) };
  const [paper] = cells.channels.length === 1 ? [] : likelyPapers(cells);
  if (paper === undefined) return none;
  const { colour } = paper;
  const [red, green, blue] = colour as [number, number, number];
  if (Math.max(...colour.map((share) => Math.abs(share - 1))) < PALE) return none;
  if (red >= green && green >= blue) {
    const isYellow = green >= YELLOW.greenToBlue * blue && red < YELLOW.redToGreen * green;
    return isYellow ? { from: 'paper', colour } : none;
  }
  const neutral = neutralPartOfInk(picture, cells, colour);
  if (neutral >= NEUTRAL_INK.paper || hasWhite(cells, paper)) return { from: 'paper', colour };
  const [least, most] = NEUTRAL_INK.light;
  const isLight = LIGHT.every(([low, high], c) => colour[c]! >= low && colour[c]! <= high);
  return isLight && neutral >= least && neutral <= most ? { from: 'light', colour } : none;
}

/** How far a colour shares the tint of the paper, by its shares of the luma: 0 for a neutral one, and 1 for the same. */
function partOfTint(shares: readonly number[], tint: readonly number[]): number {
  const [along, whole] = tint.reduce(
    ([sum, squares], share, c) => [sum + (shares[c]! - 1) * (share - 1), squares + (share - 1) ** 2],
    [0, 0] as [number, number],
  );
  return along / whole;
}

/** Whether something on the page or beside it is as light as its paper and has little of its colour. */
function hasWhite(
  { channels, luma, even }: PageCells,
  { cells: paper, colour }: { cells: number[]; colour: number[] },
): boolean {
  const lights = paper.map((at) => luma[at]!).sort((a, b) => a - b);
  const least = WHITE.light * lights[lights.length >> 1]!;
  const whites = luma.filter(
    (light, at) =>
      light >= least &&
      even[at]! >= SHEET.even &&
      partOfTint(
        channels.map((plane) => plane[at]! / light),
        colour,
      ) < WHITE.colour,
  );
  return whites.length >= WHITE.part * luma.length;
}

interface CellMeans {
  channels: Float64Array[];
  luma: Float64Array;
  /** Level of the darkest pixels */
  darkest: Uint8Array;
}

/**
 * Measures how much of the light of ink lacks the tint of the paper around it: 0 where it has the same, 1 for neutral ink. Means of whole
 * cells tell, since JPEG stores colours at half the size of a stroke.
 * @returns the median over the cells; NaN where too little tells
 */
function neutralPartOfInk(picture: Picture, cells: PageCells, tint: readonly number[]): number {
  const { luma, even, columns, rows } = cells;
  const means = measureMeans(picture, cells);
  const brightest = [...luma].filter((_, at) => even[at]! >= SHEET.even).sort((a, b) => b - a);
  const least = SHEET.light * brightest[Math.floor(0.05 * brightest.length)]!;
  const isSheet = (at: number): boolean => even[at]! >= SHEET.even && luma[at]! >= least;
  const darkness = (at: number): number => means.darkest[at]! / luma[at]!;
  const inked = [...luma.keys()].filter((at) => isSheet(at) && darkness(at) <= INKED.ink);
  const dark = inked.map(darkness).sort((a, b) => a - b)[Math.floor(DARK_CELLS * inked.length)];
  if (dark === undefined || dark > FAINT_INK) return NaN;
  const whole = tint.reduce((sum, share) => sum + (share - 1) ** 2, 0);
  const parts: number[] = [];
  for (const at of inked) {
    const coverage = 1 - means.luma[at]! / luma[at]!;
    const ink = dark * luma[at]!;
    const paper = coverage < INKED.coverage || ink < LEAST_INK ? undefined : blankAround(at);
    if (paper === undefined) continue;
    const excess = tint.reduce(
      (sum, share, c) => sum + (means.channels[c]![at]! - paper[c]! * means.luma[at]!) * (1 - share),
      0,
    );
    parts.push((excess * (1 - dark)) / (whole * coverage * ink));
  }
  return parts.length < LEAST_CELLS ? NaN : parts.sort((a, b) => a - b)[parts.length >> 1]!;

  /** The shares of the luma in the channels of blank paper near a cell. */
  function blankAround(at: number): number[] | undefined {
    const [i, j] = [at % columns, Math.floor(at / columns)];
    const sums = tint.map(() => 0);
    let light = 0;
    for (let y = Math.max(0, j - REACH); y <= Math.min(rows - 1, j + REACH); y += 1)
      for (let x = Math.max(0, i - REACH); x <= Math.min(columns - 1, i + REACH); x += 1) {
        const near = y * columns + x;
        if (!isSheet(near) || darkness(near) < INKED.blank) continue;
        for (let c = 0; c < sums.length; c += 1) sums[c]! += means.channels[c]![near]!;
        light += means.luma[near]!;
      }
    return light === 0 ? undefined : sums.map((sum) => sum / light);
  }
}

/** Measures the mean colour of each cell and its darkest level, samples of 255. */
function measureMeans(picture: Picture, { cell, columns, rows }: PageCells): CellMeans {
  const { width, height, data, channels } = picture;
  const scale = 255 / maxSample(picture);
  const count = columns * rows;
  const means: CellMeans = {
    channels: Array.from({ length: colourChannels(picture) }, () => new Float64Array(count)),
    luma: new Float64Array(count),
    darkest: new Uint8Array(count),
  };
  const histogram = new Uint32Array(256);
  for (let at = 0; at < count; at += 1) {
    const [left, top] = [(at % columns) * cell, Math.floor(at / columns) * cell];
    const [right, bottom] = [Math.min(width, left + cell), Math.min(height, top + cell)];
    const pixels = (right - left) * (bottom - top);
    histogram.fill(0);
    for (let y = top; y < bottom; y += 1)
      for (let x = left, from = (y * width + left) * channels; x < right; x += 1, from += channels) {
        for (let c = 0; c < means.channels.length; c += 1)
          means.channels[c]![at]! += (scale * data[from + c]!) / pixels;
        histogram[Math.floor(scale * lumaAt(data, from, 3))]! += 1;
      }
    means.luma[at] = lumaAt(
      means.channels.map((plane) => plane[at]!),
      0,
      3,
    );
    let level = 0;
    for (let below = histogram[0]!; below < DARKEST * pixels;) below += histogram[(level += 1)]!;
    means.darkest[at] = level;
  }
  return means;
}
