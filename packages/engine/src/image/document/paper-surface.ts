import { fitPlane } from './plane-fit.ts';
import { lumaAt } from '../luma.ts';
import { estimateWhiteNoise } from '../steps/noise-estimate.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { findPaper, isPaperColour } from './find-paper.ts';
import { findPaperTint, type PaperTint } from './paper-tint.ts';
import { colourDistance, connectedAreas, meanColour, measureCells, neighbours, type PageCells } from './page-cells.ts';

/** Cells along the longer side, and the least side of a cell, pixels. */
const CELLS = 80;
const LEAST_CELL = 16;
/** Least share of paper among the cells of a page, and of one that its text proves. */
const LEAST_PAPER = { usual: 0.25, thorough: 0.1 } as const;
/** A page lies on a table that fills this share of the frame on as many sides. */
const TABLE = { share: 0.7, sides: 3 } as const;
/** Cells in a region that is neither paper nor a letter, and the least share of its pixels between paper and ink. */
const PICTURE = { cells: 8, tones: 0.3, colour: 0.06 } as const;
/**
 * Dense print has the light and the colour of the paper between its letters, and at most this share of tones: soft edges, and what
 * shows through from the back. A picture has more tones, or its own light or colour.
 */
const PRINT = { light: [0.88, 1.06], colour: 0.022, tones: 0.48 } as const;
/**
 * Coloured cells of a page: their least luma, levels of 255, and distance from the paper. With more times the paper, the page is
 * doubtful. This share of its cells is no lighter than white.
 */
const DOUBT = { light: 40, colour: 0.06, times: 1.1, below: 0.98 } as const;
/** Share of the cells that are the calmest ones, and the coarsest grain, levels of 255. */
const GRAIN = { calmest: 0.05, most: 12 } as const;

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
  /** 1 in cells of other areas that are thicker than lines of text, with the same margin: a black frame and bars */
  solid: Uint8Array;
  /** Whether more of the page is coloured than is paper, or its paper is coloured: then what looks like paper keeps its colour */
  doubtful: boolean;
  /** Standard deviation of the noise, levels of 255 */
  noise: number;
  tint: PaperTint;
}

export interface PaperOptions {
  /** What gives the paper its colour, if it is known */
  tint?: PaperTint | undefined;
  /** Keeps the colour of the light as well */
  lightOnly?: boolean;
  /**
   * Finds small pages and coarse paper too, whose grain is no white noise: the grain of the calmest cells counts as noise. So it finds
   * paper in many photographs.
   */
  thorough?: boolean;
}

/**
 * Estimates the surface of the paper: a cell's bright pixels are paper where they change little from cell to cell. Cells of
 * letters and pictures take the paper around them, as the solution of Laplace's equation.
 * @returns undefined for a picture that is not a page
 */
export function estimatePaper(
  picture: Picture,
  { tint: known, lightOnly = false, thorough = false }: PaperOptions = {},
): PaperSurface | undefined {
  const { width, height } = picture;
  const cell = Math.max(LEAST_CELL, Math.round(Math.max(width, height) / CELLS));
  const noise = Math.max(...estimateWhiteNoise(picture), thorough ? measureGrain(picture, cell) : 0);
  const given = measureCells(picture, cell, noise);
  const tint = known ?? findPaperTint(picture, given);
  const light = tint.from === 'light' ? tint.colour : given.channels.map(() => 1);
  // A cast is taken out before paper is sought, and is part of the paper that pixels are divided by.
  const cells = tint.from === 'light' ? withoutCast(given, light) : given;
  const paper = findPaper(cells);
  if (share(paper) < LEAST_PAPER[thorough ? 'thorough' : 'usual']) return undefined;
  const doubtful = lightOnly || tint.from === 'paper' || isDoubtful(cells, paper);
  const channels = doubtful
    ? evenLight(cells, paper)
    : cells.channels.map((plane) => smooth(fill(plane, paper, cells), cells));
  const { columns, rows } = cells;
  return {
    cell,
    columns,
    rows,
    channels: channels.map((plane, c) => plane.map((level) => level * light[c]!)),
    ...findThickAreas(cells, paper),
    doubtful,
    noise,
    tint,
  };
}

/** Divides cells by the colour of the light, whose luma is 1. */
function withoutCast(cells: PageCells, light: readonly number[]): PageCells {
  const channels = cells.channels.map((plane, c) => plane.map((level) => level / light[c]!));
  const luma = cells.luma.map((_, at) =>
    lumaAt(
      channels.map((plane) => plane[at]!),
      0,
      3,
    ),
  );
  return { ...cells, channels, luma };
}

/** Standard deviation of the calmest cells, levels of 255: those between the lines of a page. */
function measureGrain(picture: Picture, cell: number): number {
  const { width, height, data, channels } = picture;
  const colours = colourChannels(picture);
  const scale = 255 / maxSample(picture);
  const deviations: number[] = [];
  for (let top = 0; top + cell <= height; top += cell) {
    for (let left = 0; left + cell <= width; left += cell) {
      let [sum, squares] = [0, 0];
      for (let y = top; y < top + cell; y += 1) {
        for (let x = left; x < left + cell; x += 1) {
          const luma = scale * lumaAt(data, (y * width + x) * channels, colours);
          sum += luma;
          squares += luma * luma;
        }
      }
      deviations.push(Math.sqrt(Math.max(0, squares / cell ** 2 - (sum / cell ** 2) ** 2)));
    }
  }
  deviations.sort((one, two) => one - two);
  return Math.min(GRAIN.most, deviations[Math.floor(GRAIN.calmest * deviations.length)] ?? 0);
}

function isDoubtful(cells: PageCells, paper: Uint8Array): boolean {
  const reference = meanColour(cells, paper);
  if (!isPaperColour(reference)) return true;
  const coloured = paper.filter(
    (isPaper, at) =>
      isPaper === 0 && cells.luma[at]! >= DOUBT.light && colourDistance(cells, [at], reference) > DOUBT.colour,
  );
  return coloured.length > DOUBT.times * paper.reduce((sum, is) => sum + is, 0);
}

/** The light over a doubtful page changes as a plane and keeps its colour: no ground of the page is in it. Little becomes lighter than white in a channel. */
function evenLight(cells: PageCells, paper: Uint8Array): Float32Array[] {
  const lightAt = fitPlane(cells, cells.luma, paper);
  const lights = cells.luma.map((_, at) => Math.max(DOUBT.light, lightAt(at)));
  const ratios = cells.luma.map((_, at) => Math.max(...cells.channels.map((plane) => plane[at]!)) / lights[at]!).sort();
  const most = Math.max(1, ratios[Math.floor(DOUBT.below * ratios.length)]!);
  return cells.channels.map(() => lights.map((light) => light * most));
}

/** Replaces cells that are not paper by the paper around them: repeated means of neighbours. */
function fill(plane: Float32Array, paper: Uint8Array, cells: PageCells): Float32Array {
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
function smooth(plane: Float32Array, cells: PageCells): Float32Array {
  return plane.map((_, at) => {
    const near = [at, ...neighbours(cells, at, true)].map((cell) => plane[cell]!).sort((a, b) => a - b);
    return near[near.length >> 1]!;
  });
}

/** Divides the regions that are thicker than lines of text into pictures, which have tones, and others. Both get a margin of one cell. */
function findThickAreas(cells: PageCells, paper: Uint8Array): Pick<PaperSurface, 'pictures' | 'solid'> {
  const pictures = new Uint8Array(paper.length);
  const thick = new Uint8Array(paper.length);
  for (let at = 0; at < thick.length; at += 1) {
    const block = [at, ...neighbours(cells, at, true)];
    if (block.every((near) => paper[near] === 0)) for (const near of block) thick[near] = 1;
  }
  const reference = meanColour(cells, paper);
  const lights = cells.luma.filter((_, at) => paper[at] === 1).sort();
  const paperLight = lights[lights.length >> 1]!;
  for (const region of connectedAreas(cells, (at) => thick[at] === 1)) {
    if (region.length < PICTURE.cells) continue;
    const mean = (plane: Float32Array): number => region.reduce((sum, at) => sum + plane[at]!, 0) / region.length;
    const light = mean(cells.luma) / paperLight;
    const tones = mean(cells.tones);
    const colour = colourDistance(cells, region, reference);
    const isLit = light >= PRINT.light[0] && light <= PRINT.light[1];
    const isPrint = isLit && tones >= PICTURE.tones && tones < PRINT.tones && colour < PRINT.colour;
    if (isPrint) for (const at of region) thick[at] = 0;
    const isToned = tones >= PICTURE.tones || (light > 0.3 && light < 0.85);
    if (isPrint || (!isToned && colour < PICTURE.colour)) continue;
    for (const at of region) for (const near of [at, ...neighbours(cells, at, true)]) pictures[near] = 1;
  }
  const solid = new Uint8Array(paper.length);
  for (let at = 0; at < thick.length; at += 1)
    if (thick[at] === 1 && pictures[at] === 0) for (const near of [at, ...neighbours(cells, at, true)]) solid[near] = 1;
  return { pictures, solid };
}

const share = (cells: Uint8Array): number => cells.reduce((sum, is) => sum + is, 0) / cells.length;

/** Share of a page in pictures, and in what lies beside it. */
export const shareOfPictures = ({ pictures }: PaperSurface): number => share(pictures);

/** Whether the paper ends within the picture: what lies beside it fills the frame on most sides. */
export function liesOnTable({ pictures, columns, rows }: PaperSurface): boolean {
  const shareOf = (from: number, step: number, count: number): number =>
    Array.from({ length: count }, (_, k) => pictures[from + k * step]!).reduce((sum, is) => sum + is, 0) / count;
  const sides = [
    shareOf(0, 1, columns),
    shareOf((rows - 1) * columns, 1, columns),
    shareOf(0, columns, rows),
    shareOf(columns - 1, columns, rows),
  ];
  return sides.filter((share) => share >= TABLE.share).length >= TABLE.sides;
}

/**
 * Interpolates the paper of each channel along rows of pixels, samples of 255.
 * @returns a function of a row, whose result is valid until its next call
 */
export function paperRows(
  { cell, columns, rows, channels }: PaperSurface,
  width: number,
): (y: number) => readonly Float32Array[] {
  const [places, parts] = [new Int32Array(width), new Float64Array(width)];
  for (let x = 0; x < width; x += 1) {
    const u = Math.min(columns - 1, Math.max(0, (x + 0.5) / cell - 0.5));
    places[x] = Math.floor(u);
    parts[x] = u - places[x]!;
  }
  const line = new Float32Array(columns + 1);
  const found = channels.map(() => new Float32Array(width));
  return (y) => {
    const v = Math.min(rows - 1, Math.max(0, (y + 0.5) / cell - 0.5));
    const j = Math.min(rows - 2, Math.floor(v));
    const lower = rows === 1 ? 0 : v - j;
    const [above, below] = [Math.max(0, j) * columns, Math.min(rows - 1, j + 1) * columns];
    channels.forEach((plane, c) => {
      for (let i = 0; i < columns; i += 1) line[i] = plane[above + i]! * (1 - lower) + plane[below + i]! * lower;
      line[columns] = line[columns - 1]!;
      const row = found[c]!;
      for (let x = 0; x < width; x += 1) {
        const i = places[x]!;
        row[x] = line[i]! + (line[i + 1]! - line[i]!) * parts[x]!;
      }
    });
    return found;
  };
}
