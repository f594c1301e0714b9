import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { lumaAt } from '../luma.ts';

/** Share of a cell's pixels that are brighter than its paper on average: the 90th percentile finds paper between lines. */
const BRIGHT_PART = 0.1;

/** Measures of a page on a grid of square cells. */
export interface PageCells {
  /** Pixels a side of a cell */
  cell: number;
  columns: number;
  rows: number;
  channels: Float32Array[];
  luma: Float32Array;
  /** Share of pixels near the brightest ones, 0 to 1 */
  even: Float32Array;
  /** Share of pixels between paper and ink, 0 to 1 */
  tones: Float32Array;
}

/** Measures the light of the bright pixels of each cell, samples of 255. @param cell pixels a side @param noise standard deviation, levels of 255 */
export function measureCells(picture: Picture, cell: number, noise: number): PageCells {
  const { width, height, data, channels } = picture;
  const [columns, rows] = [Math.ceil(width / cell), Math.ceil(height / cell)];
  const colours = colourChannels(picture);
  const count = columns * rows;
  const cells: PageCells = {
    cell,
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
          const luma = scale * lumaAt(data, from, colours);
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
      cells.luma[at] = lumaAt([red!, green!, blue!], 0, colours);
      cells.even[at] = near / pixels;
      cells.tones[at] = between / pixels;
    }
  }
  return cells;
}

/** Largest difference between two cells in a channel's share of the light. */
export function chromaticStep({ channels, luma }: PageCells, a: number, b: number): number {
  if (channels.length === 1) return 0;
  return Math.max(...channels.map((plane) => Math.abs(plane[a]! / luma[a]! - plane[b]! / luma[b]!)));
}

export function meanColour({ channels, luma }: PageCells, paper: Uint8Array): number[] {
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

export function colourDistance(
  { channels, luma }: PageCells,
  region: readonly number[],
  reference: readonly number[],
): number {
  if (channels.length === 1) return 0;
  const light = region.reduce((sum, at) => sum + luma[at]!, 0);
  return Math.max(
    ...channels.map((plane, c) => Math.abs(region.reduce((sum, at) => sum + plane[at]!, 0) / light - reference[c]!)),
  );
}

/** Connected cells of a kind. @param mayStep whether two cells beside each other belong together */
export function connectedAreas(
  cells: PageCells,
  belongs: (at: number) => boolean,
  mayStep: (from: number, to: number) => boolean = () => true,
): number[][] {
  const seen = new Uint8Array(cells.luma.length);
  const found: number[][] = [];
  for (let start = 0; start < seen.length; start += 1) {
    if (seen[start] === 1 || !belongs(start)) continue;
    seen[start] = 1;
    const region = [start];
    for (let k = 0; k < region.length; k += 1) {
      for (const at of neighbours(cells, region[k]!)) {
        if (seen[at] === 1 || !belongs(at) || !mayStep(region[k]!, at)) continue;
        seen[at] = 1;
        region.push(at);
      }
    }
    found.push(region);
  }
  return found;
}

export function neighbours({ columns, rows }: PageCells, at: number, corners = false): number[] {
  const [i, j] = [at % columns, Math.floor(at / columns)];
  const near: number[] = [];
  for (let y = Math.max(0, j - 1); y <= Math.min(rows - 1, j + 1); y += 1) {
    for (let x = Math.max(0, i - 1); x <= Math.min(columns - 1, i + 1); x += 1) {
      if ((corners || x === i || y === j) && !(x === i && y === j)) near.push(y * columns + x);
    }
  }
  return near;
}

export const isAtFrame = ({ columns, rows }: PageCells, at: number): boolean => {
  const [i, j] = [at % columns, Math.floor(at / columns)];
  return i === 0 || j === 0 || i === columns - 1 || j === rows - 1;
};
