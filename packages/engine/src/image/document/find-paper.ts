import {
  chromaticStep,
  colourDistance,
  connectedAreas,
  isAtFrame,
  meanColour,
  neighbours,
  type PageCells,
} from './page-cells.ts';
import { fitPlane } from './plane-fit.ts';

/** Share of a cell's pixels near its brightest ones, from which it may be paper. A photograph has fewer. */
const PAPER_PART = 0.3;
/** The same share, and that of the brightest light, from which paper begins. */
const SEED = { even: 0.5, light: 0.85 } as const;
/**
 * Largest change of paper from a cell to the next: ratio of light, and difference of the ratios of two channels. A shadow changes the
 * colour with the light: the second value is for each unit of light.
 */
const STEP = { light: 0.87, colour: 0.02, shadow: 0.15 } as const;
/**
 * Colours of seeds within this distance are one paper. A brighter one with this share of the cells is the paper instead, if it has
 * this share of the ink for its size: the board of a scanner behind the page has none.
 */
const ONE_PAPER = { distance: 0.04, brighter: 1.04, part: 0.08, inked: 0.25 } as const;
/** Share of a cell's pixels between paper and ink, from which it has ink, and least cells of the paper around it. */
const LEAST_INK = 0.05;
const LEAST_PAPER = 3;
/** Least pairs of cells near each other that compare two regions. */
const LEAST_MEETING = 12;
/** A darker region of even cells at the frame is paper in a shadow from this share of the cells, and this share of the light. */
const SHADOW = { part: 0.02, light: 0.25, colour: 0.06 } as const;
/** Distance from the colour of the paper at its place: in full light, and for each unit of light that is missing. */
const OWN_COLOUR = { distance: 0.023, shadow: 0.12 } as const;
/** Shares of the luma that red, green and blue of paper have, in the light of lamps and of the sky. */
const PAPER_COLOUR = [
  [0.88, 1.25],
  [0.9, 1.08],
  [0.55, 1.25],
] as const;

/**
 * Finds the cells of paper. Paper is one surface: it grows from bright even cells of one colour, over steps that are small enough for
 * shading. A ground with an edge or a colour of its own is not paper.
 */
export function findPaper(cells: PageCells): Uint8Array {
  const { luma, even } = cells;
  const paper = new Uint8Array(luma.length);
  const brightest = brightestPaper(cells);
  if (brightest === 0) return paper;
  const stack = findSeeds(cells, brightest);
  for (const at of stack) paper[at] = 1;
  grow(cells, paper, stack);
  dropOtherColours(cells, paper);
  const reference = meanColour(cells, paper);
  for (const region of connectedAreas(cells, (at) => paper[at] === 0 && even[at]! >= PAPER_PART)) {
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

/** Bright even cells of one colour. */
interface LikelyPaper {
  cells: number[];
  colour: number[];
}

/** Finds the bright even cells, by their colours; the most frequent one is first. */
export function likelyPapers(cells: PageCells, brightest = brightestPaper(cells)): LikelyPaper[] {
  const { luma, even } = cells;
  const isSeed = (at: number): boolean => even[at]! >= SEED.even && luma[at]! >= SEED.light * brightest;
  const regions = connectedAreas(cells, isSeed, (one, other) => mayStep(cells, one, other));
  const papers: LikelyPaper[] = [];
  for (const region of regions.sort((one, other) => other.length - one.length)) {
    const paper = papers.find(({ colour }) => colourDistance(cells, region, colour) <= ONE_PAPER.distance);
    if (paper !== undefined) paper.cells.push(...region);
    else papers.push({ cells: region, colour: meanColour(cells, marked(region, luma.length)) });
  }
  return papers.sort((one, other) => other.cells.length - one.cells.length);
}

/** The light of the brightest cells that may be paper, samples of 255. */
function brightestPaper({ luma, even }: PageCells): number {
  const candidates = luma.filter((_, at) => even[at]! >= PAPER_PART).sort();
  return candidates[Math.floor(candidates.length * 0.95)] ?? 0;
}

/** The cells of the most frequent paper whose colour light alone gives, or of a brighter one beside it. */
function findSeeds(cells: PageCells, brightest: number): number[] {
  const { luma } = cells;
  const [first, ...others] = likelyPapers(cells, brightest).filter(({ colour }) => isPaperColour(colour));
  if (first === undefined) return [];
  const best = others.reduce(
    (paper, other) =>
      other.cells.length >= ONE_PAPER.part * luma.length &&
      brightness(cells, paper.cells, other.cells) > ONE_PAPER.brighter &&
      inkOn(cells, other.cells, paper.cells) >= ONE_PAPER.inked * inkOn(cells, paper.cells, other.cells)
        ? other
        : paper,
    first,
  );
  return [...best.cells];
}

/** Cells of ink on a paper for each of its cells: those with no other paper near them, unlike the shadow at the edge of a page. */
function inkOn(cells: PageCells, paper: readonly number[], other: readonly number[]): number {
  const { tones, columns } = cells;
  const [isPaper, isOther] = [marked(paper, tones.length), marked(other, tones.length)];
  const reach = [-2, -1, 0, 1, 2].flatMap((down) => [-2, -1, 0, 1, 2].map((across) => down * columns + across));
  const countAround = (at: number, marks: Uint8Array): number =>
    reach.reduce((sum, step) => sum + (marks[at + step] ?? 0), 0);
  const inked = [...tones.keys()].filter(
    (at) => tones[at]! >= LEAST_INK && countAround(at, isPaper) >= LEAST_PAPER && countAround(at, isOther) === 0,
  );
  return inked.length / paper.length;
}

/** Median ratio of the light of a region to that of another where they meet, or everywhere where they do not. */
function brightness({ luma, columns }: PageCells, one: readonly number[], other: readonly number[]): number {
  const inOne = marked(one, luma.length);
  const ratios = other.flatMap((at) =>
    [-3, -2, -1, 1, 2, 3]
      .flatMap((step) => [at + step, at + step * columns])
      .filter((near) => inOne[near] === 1)
      .map((near) => luma[at]! / luma[near]!),
  );
  const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!;
  if (ratios.length >= LEAST_MEETING) return median(ratios);
  return median(other.map((at) => luma[at]!)) / median(one.map((at) => luma[at]!));
}

/** Whether light alone gives white paper this colour: the mean shares of its luma in the channels. */
export function isPaperColour(colour: readonly number[]): boolean {
  return colour.length === 1 || PAPER_COLOUR.every(([least, most], c) => colour[c]! >= least && colour[c]! <= most);
}

function marked(region: readonly number[], length: number): Uint8Array {
  const marks = new Uint8Array(length);
  for (const at of region) marks[at] = 1;
  return marks;
}

function mayStep(cells: PageCells, from: number, to: number): boolean {
  const { luma } = cells;
  const ratio = Math.min(luma[to]!, luma[from]!) / Math.max(luma[to]!, luma[from]!);
  return ratio >= STEP.light && chromaticStep(cells, to, from) <= STEP.colour + STEP.shadow * (1 - ratio);
}

function grow(cells: PageCells, paper: Uint8Array, stack: number[]): void {
  for (let from = stack.pop(); from !== undefined; from = stack.pop()) {
    for (const at of neighbours(cells, from)) {
      if (paper[at] === 1 || cells.even[at]! < PAPER_PART || !mayStep(cells, from, at)) continue;
      paper[at] = 1;
      stack.push(at);
    }
  }
}

/** Drops the cells that small steps have reached, as over the sky of a picture, and whose colour the light does not explain. */
function dropOtherColours(cells: PageCells, paper: Uint8Array): void {
  if (cells.channels.length === 1) return;
  const shares = cells.channels.map((plane) => plane.map((level, at) => level / cells.luma[at]!));
  for (let turn = 0; turn < 3; turn += 1) {
    const planes = shares.map((share) => fitPlane(cells, share, paper));
    const distance = (at: number): number =>
      Math.max(...planes.map((plane, c) => Math.abs(shares[c]![at]! - plane(at))));
    const lights = cells.luma.filter((_, at) => paper[at] === 1).sort();
    const light = lights[lights.length >> 1]!;
    for (let at = 0; at < paper.length; at += 1) {
      const missing = Math.max(0, 1 - cells.luma[at]! / light);
      const most = OWN_COLOUR.distance + OWN_COLOUR.shadow * missing;
      if (paper[at] === 1 && distance(at) > most) paper[at] = 0;
    }
  }
}
