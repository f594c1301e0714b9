import { lumaAt } from '../luma.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { paperRows, type PaperSurface } from './paper-surface.ts';
import { largestArea, widened, type Blocks } from './surround-blocks.ts';

/** Longer side of the reduced picture, blocks. */
const SIDE = 500;
/** Light of the surround at most, and of paper at least, as shares of the light of the paper there. */
const [DARK, LIGHT] = [0.4, 0.6];
/** Share of a side's outermost pixels from which a surround may lie there: others are not searched. */
const LEAST_FRAME = 0.1;
/** Steepest edge of the paper, as a rise over a run: about 20°. */
const STEEPEST = 0.36;
/** Distance of a straight edge to its line, blocks, and the least shares of the edge in view, and of the side, that are as near. */
const EDGE = { near: 2, seen: 0.55, side: 0.12 } as const;
/**
 * Beyond an edge: the least share of dark blocks, their greatest spread of light as a share of the paper's, the greatest share of lighter
 * marks among them, and the greatest mean depth as a share of the picture.
 */
const BEYOND = { dark: 0.85, spread: 0.09, marks: 0.003, depth: 0.35 } as const;
/** Blocks within the edge that become paper too, and those up to which the surround goes on where the paper is ragged. */
const [MARGIN, RAGGED] = [1, 5];
/** Points of an edge whose pairs are tried as lines. */
const TRIED = 28;

/** A place by its distance along a side of the picture, and from it. */
interface SideView {
  length: number;
  depth: number;
  at: (along: number, deep: number) => number;
}

/**
 * Returns a page with the dark surround of its paper, as a scanner with an open lid gives it, replaced by paper. A surround is dark and
 * even, reaches the frame, and ends at a straight edge of the paper along that whole side. So photographs and bars that bleed off stay.
 * @returns undefined without a certain surround
 */
export function withoutSurround(picture: Picture, surface: PaperSurface): Picture | undefined {
  if (!mayHaveSurround(picture, surface)) return undefined;
  const blocks = reduce(picture, surface);
  const outside = findOutside(blocks);
  return outside && paintPaper(picture, surface, blocks, outside);
}

/** Whether enough of the outermost pixels of a side are dark. */
function mayHaveSurround(picture: Picture, surface: PaperSurface): boolean {
  const { width, height, data, channels } = picture;
  const colours = colourChannels(picture);
  const scale = 255 / maxSample(picture);
  const paper = [...surface.channels.at(colours === 3 ? 1 : 0)!].sort((a, b) => a - b);
  const dark = DARK * paper[paper.length >> 1]!;
  const step = Math.max(1, Math.floor(Math.max(width, height) / SIDE));
  const shareOf = (length: number, pixelAt: (k: number) => number): number => {
    let [all, darks] = [0, 0];
    for (let k = 0; k < length; k += step, all += 1)
      if (scale * lumaAt(data, pixelAt(k) * channels, colours) < dark) darks += 1;
    return darks / all;
  };
  return [
    shareOf(width, (x) => x),
    shareOf(width, (x) => (height - 1) * width + x),
    shareOf(height, (y) => y * width),
    shareOf(height, (y) => y * width + width - 1),
  ].some((share) => share >= LEAST_FRAME);
}

function reduce(picture: Picture, surface: PaperSurface): Blocks {
  const { width, height, data, channels } = picture;
  const colours = colourChannels(picture);
  const scale = 255 / maxSample(picture);
  const step = Math.max(1, Math.floor(Math.max(width, height) / SIDE));
  const [columns, rows] = [Math.ceil(width / step), Math.ceil(height / step)];
  const light = new Float32Array(columns * rows);
  const paperAt = paperRows(surface, width);
  const half = step >> 1;
  for (let j = 0, at = 0; j < rows; j += 1) {
    const [top, bottom] = [j * step, Math.min(height, (j + 1) * step)];
    const paper = paperAt(Math.min(height - 1, top + half));
    for (let i = 0; i < columns; i += 1, at += 1) {
      const [left, right] = [i * step, Math.min(width, (i + 1) * step)];
      let sum = 0;
      for (let y = top; y < bottom; y += 1)
        for (let x = left; x < right; x += 1) sum += lumaAt(data, (y * width + x) * channels, colours);
      const x = Math.min(width - 1, left + half);
      const here = lumaAt([paper[0]![x]!, paper.at(1)?.[x] ?? 0, paper.at(2)?.[x] ?? 0], 0, colours);
      light[at] = (scale * sum) / ((bottom - top) * (right - left) * here);
    }
  }
  return { columns, rows, step, light };
}

/** @returns 1 for the blocks of the surround and its soft edge; undefined without any */
function findOutside(blocks: Blocks): Uint8Array | undefined {
  const { columns, rows, light } = blocks;
  const paper = largestArea(blocks, (at) => light[at]! >= LIGHT);
  const reached = reachedFromFrame(blocks);
  const outside = new Uint8Array(light.length);
  const sides: SideView[] = [
    { length: columns, depth: rows, at: (i, d) => d * columns + i },
    { length: columns, depth: rows, at: (i, d) => (rows - 1 - d) * columns + i },
    { length: rows, depth: columns, at: (j, d) => j * columns + d },
    { length: rows, depth: columns, at: (j, d) => j * columns + columns - 1 - d },
  ];
  let isFound = false;
  for (const side of sides) {
    const edge = findEdge(side, paper, reached);
    if (edge === undefined || !isBlank(side, edge, light)) continue;
    isFound = true;
    for (let along = 0; along < side.length; along += 1) {
      const until = edgeOfDark(side, along, edge(along), reached);
      for (let deep = 0; deep < until; deep += 1) outside[side.at(along, deep)] = 1;
    }
  }
  return isFound ? widened(outside, columns) : undefined;
}

/**
 * Finds the straight edge of the paper at a side.
 * @returns the number of blocks before the edge; undefined where the edge is not seen along the side, or is not straight
 */
function findEdge(
  { length, depth, at }: SideView,
  paper: Uint8Array,
  reached: Uint8Array,
): ((along: number) => number) | undefined {
  const profile = Array.from({ length }, (_, along) => {
    for (let deep = 0; deep < depth; deep += 1) if (paper[at(along, deep)] === 1) return deep;
    return undefined;
  });
  const isFlat = (along: number): boolean => {
    const [before, after] = [profile[along - 3], profile[along + 3]];
    return before === undefined || after === undefined || Math.abs(after - before) <= 6 * STEEPEST + 1;
  };
  const usable = profile.flatMap((deep, along) => (deep !== undefined && isFlat(along) ? [{ along, deep }] : []));
  const seen = usable.filter(({ along, deep }) => deep > 0 && reached[at(along, deep - 1)] === 1);
  if (seen.length < EDGE.side * length) return undefined;
  const tried = Array.from({ length: TRIED }, (_, k) => seen[Math.floor(((k + 0.5) * seen.length) / TRIED)]!);
  let best: { slope: number; start: number; near: number } | undefined;
  for (const [k, one] of tried.entries()) {
    for (const other of tried.slice(k + 1)) {
      const slope = (other.deep - one.deep) / (other.along - one.along);
      if (!(Math.abs(slope) <= STEEPEST)) continue;
      const start = one.deep - slope * one.along;
      const near = seen.filter(({ along, deep }) => Math.abs(deep - start - slope * along) <= EDGE.near).length;
      if (near > (best?.near ?? 0)) best = { slope, start, near };
    }
  }
  if (best === undefined || best.near < EDGE.side * length) return undefined;
  const { slope, start, near } = best;
  const edge = (along: number): number => start + slope * along;
  // Where its line leaves the picture, the paper does, too.
  const inView = usable.filter(({ along, deep }) => edge(along) > EDGE.near || deep > EDGE.near).length;
  return near >= EDGE.seen * inView ? edge : undefined;
}

/**
 * Moves an edge to the end of the dark blocks near it, where the paper is ragged. Where they go on, as in a photograph at the edge, it
 * stays.
 */
function edgeOfDark({ depth, at }: SideView, along: number, edge: number, reached: Uint8Array): number {
  const from = Math.max(0, Math.ceil(edge));
  for (let deep = from; deep < Math.min(depth, from + RAGGED); deep += 1)
    if (reached[at(along, deep)] === 0) return deep + MARGIN;
  return Math.min(depth, edge);
}

/** Whether what lies beyond an edge is dark, even, less than the paper, and shows nothing lighter, as a heading on a black bar does. */
function isBlank({ length, depth, at }: SideView, edge: (along: number) => number, light: Float32Array): boolean {
  const until = Int32Array.from({ length }, (_, along) =>
    Math.min(depth, Math.max(0, Math.ceil(edge(along) - MARGIN))),
  );
  const count = until.reduce((sum, each) => sum + each, 0);
  let [dark, sum, squares] = [0, 0, 0];
  for (let along = 0; along < length; along += 1) {
    for (let deep = 0; deep < until[along]!; deep += 1) {
      const here = light[at(along, deep)]!;
      if (here >= DARK) continue;
      dark += 1;
      sum += here;
      squares += here * here;
    }
  }
  if (count === 0 || dark < BEYOND.dark * count || count > BEYOND.depth * length * depth) return false;
  const mean = sum / dark;
  if (Math.sqrt(Math.max(0, squares / dark - mean ** 2)) > BEYOND.spread) return false;
  return (
    countEnclosed({ length, depth, at }, until, (block) => light[block]! > mean + BEYOND.spread) <= BEYOND.marks * count
  );
}

/** Counts the blocks of a kind beyond an edge that are connected with neither the frame nor the edge. */
function countEnclosed({ length, depth, at }: SideView, until: Int32Array, belongs: (at: number) => boolean): number {
  const seen = new Uint8Array(length * depth);
  let enclosed = 0;
  for (let start = 0; start < length; start += 1) {
    for (let deep = 0; deep < until[start]!; deep += 1) {
      const stack = [[start, deep]] as [number, number][];
      let [size, isOpen] = [0, false];
      for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
        const [along, down] = next;
        if (along < 0 || along >= length || down < 0 || down >= until[along]! || seen[down * length + along] === 1)
          continue;
        if (!belongs(at(along, down))) continue;
        seen[down * length + along] = 1;
        size += 1;
        isOpen ||= down === 0 || down >= until[along]! - 1 || along === 0 || along === length - 1;
        stack.push([along - 1, down], [along + 1, down], [along, down - 1], [along, down + 1]);
      }
      if (!isOpen) enclosed += size;
    }
  }
  return enclosed;
}

/** Marks the dark blocks that are connected with the frame by dark ones. */
function reachedFromFrame({ columns, rows, light }: Blocks): Uint8Array {
  const reached = new Uint8Array(light.length);
  const stack: number[] = [];
  const visit = (at: number): void => {
    if (reached[at] === 1 || light[at]! >= DARK) return;
    reached[at] = 1;
    stack.push(at);
  };
  for (let i = 0; i < columns; i += 1) [i, (rows - 1) * columns + i].forEach(visit);
  for (let j = 0; j < rows; j += 1) [j * columns, (j + 1) * columns - 1].forEach(visit);
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const column = at % columns;
    if (column > 0) visit(at - 1);
    if (column < columns - 1) visit(at + 1);
    if (at >= columns) visit(at - columns);
    if (at < light.length - columns) visit(at + columns);
  }
  return reached;
}

function paintPaper(picture: Picture, surface: PaperSurface, { columns, step }: Blocks, outside: Uint8Array): Picture {
  const { width, height, channels } = picture;
  const data = picture.data.slice() as Picture['data'];
  const colours = colourChannels(picture);
  const scale = maxSample(picture) / 255;
  const paperAt = paperRows(surface, width);
  for (let y = 0; y < height; y += 1) {
    const row = Math.floor(y / step) * columns;
    const paper = paperAt(y);
    for (let x = 0; x < width; x += 1) {
      if (outside[row + Math.floor(x / step)] === 0) continue;
      for (let c = 0; c < colours; c += 1) data[(y * width + x) * channels + c] = scale * paper[c]![x]!;
    }
  }
  return { ...picture, data };
}
