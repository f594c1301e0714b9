import { estimateWhiteNoise } from '../steps/noise-estimate.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';

/** Cells along the longer side, and the least side of a cell, pixels. */
const CELLS = 80;
const LEAST_CELL = 16;
/** Share of a cell's pixels that are brighter than its paper on average: the 90th percentile finds paper between lines. */
const BRIGHT_PART = 0.1;
/** Share of a cell's pixels near its brightest ones, from which it may be paper. A photograph has fewer. */
const PAPER_PART = 0.3;
/** Largest change of paper from a cell to the next: ratio of light, and difference of the ratios of two channels. */
const STEP = { light: 0.87, colour: 0.07 } as const;
/** A darker region of even cells at the frame is paper in a shadow from this share of the cells, and this share of the light. */
const SHADOW = { part: 0.02, light: 0.25, colour: 0.12 } as const;
/** Least share of paper among the cells of a page. */
const LEAST_PAPER = 0.25;
/** Cells in a region that is neither paper nor a letter, and the least share of its pixels between paper and ink. */
const PICTURE = { cells: 8, tones: 0.3 } as const;

/** The light that blank paper reflects over a page, on a grid of square cells. */
export interface PaperSurface {
  /** Pixels a side of a cell */
  cell: number;
  columns: number;
  rows: number;
  /** Paper in each colour channel, samples of 255, by cell */
  channels: Float32Array[];
  /** 1 in cells of photographs, coloured areas and what lies beside the page; a margin of one cell is included */
  pictures: Uint8Array;
  /** Standard deviation of the noise, levels of 255 */
  noise: number;
}

interface Cells {
  columns: number;
  rows: number;
  channels: Float32Array[];
  luma: Float32Array;
  /** Share of pixels near the brightest ones, 0 to 1 */
  even: Float32Array;
  /** Share of pixels between paper and ink, 0 to 1 */
  tones: Float32Array;
}

/**
 * Estimates the surface of the paper: a cell's bright pixels are paper where they change little from cell to cell. Cells of
 * letters and pictures take the paper around them, as the solution of Laplace's equation.
 * @returns undefined for a picture that is not a page
 */
export function estimatePaper(picture: Picture): PaperSurface | undefined {
  const { width, height } = picture;
  const cell = Math.max(LEAST_CELL, Math.round(Math.max(width, height) / CELLS));
  const noise = Math.max(...estimateWhiteNoise(picture));
  const cells = measureCells(picture, cell, noise);
  const paper = findPaper(cells);
  if (share(paper) < LEAST_PAPER) return undefined;
  const channels = cells.channels.map((plane) => smooth(fill(plane, paper, cells), cells));
  return { cell, columns: cells.columns, rows: cells.rows, channels, pictures: findPictures(cells, paper), noise };
}

function measureCells(picture: Picture, cell: number, noise: number): Cells {
  const { width, height, data, channels } = picture;
  const [columns, rows] = [Math.ceil(width / cell), Math.ceil(height / cell)];
  const colours = colourChannels(picture);
  const count = columns * rows;
  const cells: Cells = {
    columns,
    rows,
    channels: Array.from({ length: colours }, () => new Float32Array(count)),
    luma: new Float32Array(count),
    even: new Float32Array(count),
    tones: new Float32Array(count),
  };
  const scale = 255 / maxSample(picture);
  const lumas = new Uint8Array(cell * cell);
  const histogram = new Uint32Array(256);
  // The window below the 90th percentile is symmetrical around the mean of noisy paper, so noise does not shift the paper.
  const reach = Math.max(6, 2.6 * noise);
  for (let j = 0, at = 0; j < rows; j += 1) {
    for (let i = 0; i < columns; i += 1, at += 1) {
      const [left, top] = [i * cell, j * cell];
      const [right, bottom] = [Math.min(width, left + cell), Math.min(height, top + cell)];
      histogram.fill(0);
      let pixels = 0;
      for (let y = top; y < bottom; y += 1) {
        for (let x = left; x < right; x += 1, pixels += 1) {
          const from = (y * width + x) * channels;
          const luma =
            scale *
            (colours === 1 ? data[from]! : 0.299 * data[from]! + 0.587 * data[from + 1]! + 0.114 * data[from + 2]!);
          lumas[pixels] = luma;
          histogram[Math.floor(luma)]! += 1;
        }
      }
      let bright = 255;
      for (let above = histogram[255]!; above < pixels * BRIGHT_PART && bright > 0;) above += histogram[(bright -= 1)]!;
      const low = bright - reach;
      const sums = new Float64Array(colours);
      let [near, between] = [0, 0];
      for (let y = top, k = 0; y < bottom; y += 1) {
        for (let x = left; x < right; x += 1, k += 1) {
          const luma = lumas[k]!;
          if (luma > 0.35 * bright && luma < 0.85 * bright) between += 1;
          if (luma < low || luma > bright + reach) continue;
          near += 1;
          const from = (y * width + x) * channels;
          for (let c = 0; c < colours; c += 1) sums[c]! += data[from + c]!;
        }
      }
      for (let c = 0; c < colours; c += 1) cells.channels[c]![at] = Math.max(1, (scale * sums[c]!) / near);
      const [red, green, blue] = cells.channels.map((plane) => plane[at]!);
      cells.luma[at] = colours === 1 ? red! : 0.299 * red! + 0.587 * green! + 0.114 * blue!;
      cells.even[at] = near / pixels;
      cells.tones[at] = between / pixels;
    }
  }
  return cells;
}

/** Grows the paper from the brightest even cells, over steps that are small enough for shading. */
function findPaper(cells: Cells): Uint8Array {
  const { luma, even } = cells;
  const candidates = luma.filter((_, at) => even[at]! >= PAPER_PART).sort();
  const paper = new Uint8Array(luma.length);
  if (candidates.length === 0) return paper;
  const brightest = candidates[Math.floor(candidates.length * 0.95)]!;
  const stack: number[] = [];
  const add = (at: number): void => {
    paper[at] = 1;
    stack.push(at);
  };
  for (let at = 0; at < luma.length; at += 1) if (even[at]! >= 0.5 && luma[at]! >= 0.85 * brightest) add(at);
  grow(cells, paper, stack);
  const reference = meanColour(cells, paper);
  for (const region of regions(cells, (at) => paper[at] === 0 && even[at]! >= PAPER_PART)) {
    // Cells of ink and marks within the shadow stay apart.
    const lit = region.filter((at) => luma[at]! >= SHADOW.light * brightest);
    const isShadow =
      lit.length >= Math.max(SHADOW.part * luma.length, 0.8 * region.length) &&
      region.some((at) => isAtFrame(cells, at)) &&
      colourDistance(cells, lit, reference) < SHADOW.colour;
    if (isShadow) for (const at of lit) paper[at] = 1;
  }
  return paper;
}

function grow(cells: Cells, paper: Uint8Array, stack: number[]): void {
  const { luma, even } = cells;
  for (let from = stack.pop(); from !== undefined; from = stack.pop()) {
    for (const at of neighbours(cells, from)) {
      if (paper[at] === 1 || even[at]! < PAPER_PART) continue;
      const ratio = Math.min(luma[at]!, luma[from]!) / Math.max(luma[at]!, luma[from]!);
      if (ratio < STEP.light || chromaticStep(cells, at, from) > STEP.colour) continue;
      paper[at] = 1;
      stack.push(at);
    }
  }
}

/** Largest difference between two cells in a channel's share of the light. */
function chromaticStep({ channels, luma }: Cells, a: number, b: number): number {
  if (channels.length === 1) return 0;
  return Math.max(...channels.map((plane) => Math.abs(plane[a]! / luma[a]! - plane[b]! / luma[b]!)));
}

function meanColour({ channels, luma }: Cells, paper: Uint8Array): number[] {
  return channels.map((plane) => {
    let [sum, light] = [0, 1];
    for (let at = 0; at < paper.length; at += 1) {
      if (paper[at] === 0) continue;
      sum += plane[at]!;
      light += luma[at]!;
    }
    return sum / light;
  });
}

function colourDistance({ channels, luma }: Cells, region: readonly number[], reference: readonly number[]): number {
  if (channels.length === 1) return 0;
  const light = region.reduce((sum, at) => sum + luma[at]!, 0);
  return Math.max(
    ...channels.map((plane, c) => Math.abs(region.reduce((sum, at) => sum + plane[at]!, 0) / light - reference[c]!)),
  );
}

/** Replaces cells that are not paper by the paper around them: repeated means of neighbours. */
function fill(plane: Float32Array, paper: Uint8Array, cells: Cells): Float32Array {
  const result = Float32Array.from(plane);
  let [sum, count] = [0, 0];
  for (let at = 0; at < plane.length; at += 1) {
    sum += paper[at]! * plane[at]!;
    count += paper[at]!;
  }
  const holes = [...paper.keys()].filter((at) => paper[at] === 0);
  for (const at of holes) result[at] = sum / count;
  const around = holes.map((at) => neighbours(cells, at));
  for (let turn = 0; turn < 150; turn += 1) {
    holes.forEach((at, k) => {
      const near = around[k]!;
      result[at] = near.reduce((total, from) => total + result[from]!, 0) / near.length;
    });
  }
  return result;
}

/** Median of each cell and its neighbours, which drops single wrong cells and keeps the edge of a shadow. */
function smooth(plane: Float32Array, cells: Cells): Float32Array {
  return plane.map((_, at) => {
    const near = [at, ...neighbours(cells, at, true)].map((cell) => plane[cell]!).sort((a, b) => a - b);
    return near[near.length >> 1]!;
  });
}

/** Regions beside the paper that are thicker than lines of text and have tones, with a margin of one cell. */
function findPictures(cells: Cells, paper: Uint8Array): Uint8Array {
  const pictures = new Uint8Array(paper.length);
  const thick = new Uint8Array(paper.length);
  for (let at = 0; at < thick.length; at += 1) {
    const block = [at, ...neighbours(cells, at, true)];
    if (block.every((near) => paper[near] === 0)) for (const near of block) thick[near] = 1;
  }
  const reference = meanColour(cells, paper);
  const lights = cells.luma.filter((_, at) => paper[at] === 1).sort();
  const paperLight = lights[lights.length >> 1]!;
  for (const region of regions(cells, (at) => thick[at] === 1)) {
    if (region.length < PICTURE.cells) continue;
    const mean = (plane: Float32Array): number => region.reduce((sum, at) => sum + plane[at]!, 0) / region.length;
    const light = mean(cells.luma) / paperLight;
    const isToned = mean(cells.tones) >= PICTURE.tones || (light > 0.3 && light < 0.85);
    if (!isToned && colourDistance(cells, region, reference) < SHADOW.colour) continue;
    for (const at of region) for (const near of [at, ...neighbours(cells, at, true)]) pictures[near] = 1;
  }
  return pictures;
}

/** Connected cells of a kind. */
function regions(cells: Cells, belongs: (at: number) => boolean): number[][] {
  const seen = new Uint8Array(cells.luma.length);
  const found: number[][] = [];
  for (let start = 0; start < seen.length; start += 1) {
    if (seen[start] === 1 || !belongs(start)) continue;
    seen[start] = 1;
    const region = [start];
    for (let k = 0; k < region.length; k += 1) {
      for (const at of neighbours(cells, region[k]!)) {
        if (seen[at] === 1 || !belongs(at)) continue;
        seen[at] = 1;
        region.push(at);
      }
    }
    found.push(region);
  }
  return found;
}

function neighbours({ columns, rows }: Cells, at: number, corners = false): number[] {
  const [i, j] = [at % columns, Math.floor(at / columns)];
  const near: number[] = [];
  for (let y = Math.max(0, j - 1); y <= Math.min(rows - 1, j + 1); y += 1) {
    for (let x = Math.max(0, i - 1); x <= Math.min(columns - 1, i + 1); x += 1) {
      if ((corners || x === i || y === j) && !(x === i && y === j)) near.push(y * columns + x);
    }
  }
  return near;
}

const isAtFrame = ({ columns, rows }: Cells, at: number): boolean => {
  const [i, j] = [at % columns, Math.floor(at / columns)];
  return i === 0 || j === 0 || i === columns - 1 || j === rows - 1;
};

const share = (cells: Uint8Array): number => cells.reduce((sum, is) => sum + is, 0) / cells.length;

/** Interpolates the paper of each channel along a row of pixels, samples of 255. */
export function paperOfRow(
  { cell, columns, rows, channels }: PaperSurface,
  y: number,
  width: number,
  into: Float32Array[],
): void {
  const v = Math.min(rows - 1, Math.max(0, (y + 0.5) / cell - 0.5));
  const j = Math.min(rows - 2, Math.floor(v));
  const lower = rows === 1 ? 0 : v - j;
  const [above, below] = [Math.max(0, j) * columns, Math.min(rows - 1, j + 1) * columns];
  const line = new Float32Array(columns);
  channels.forEach((plane, c) => {
    for (let i = 0; i < columns; i += 1) line[i] = plane[above + i]! * (1 - lower) + plane[below + i]! * lower;
    const row = into[c]!;
    for (let x = 0; x < width; x += 1) {
      const u = Math.min(columns - 1, Math.max(0, (x + 0.5) / cell - 0.5));
      const i = Math.floor(u);
      const next = line[Math.min(columns - 1, i + 1)]!;
      row[x] = line[i]! + (next - line[i]!) * (u - i);
    }
  });
}
