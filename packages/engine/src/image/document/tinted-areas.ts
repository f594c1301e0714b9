import { boxMean } from '../filters/box-filter.ts';
import type { TintGrid } from './tint-grid.ts';

/**
 * Colours, as a distance of red and blue from luma: from which an area is tinted, which it has up to its outline, and which yellowed
 * paper does not have. Reach of their mean, blocks.
 */
const TINT = { from: 0.022, least: 0.014, certain: 0.03, reach: 1 } as const;
/** Box that a tinted area fills by this share somewhere, unlike a stroke: its reach, and the least share of blocks with such a box. */
const THICK = { reach: 2, filled: 0.79, share: 0.1 } as const;
/** An edge drops the colour by this share over these blocks. Least share of the outline with such an edge. */
const EDGE = { drop: 0.6, inside: 1, outside: 3, share: 0.4 } as const;
/** Least share of an area in pictures, from which it belongs to them without an edge of its own. */
const WITH_PICTURE = 0.2;

/**
 * JPEG spreads the colour of a pen over the paper beside its strokes. Such an area is as uneven in colour as in luma, over two
 * blocks: the least unevenness as a share of its mean, and correlation of both. Its lightest quarter has this share of the colour at
 * most.
 */
const PEN = { step: 2, uneven: 0.55, correlation: 0.55, light: 0.62 } as const;

/**
 * Finds tinted grounds: areas whose colour differs from that of the paper, and which have an edge or belong to a picture. A stain, a
 * shadow and yellowed paper fade out. Strokes are thinner.
 * @param inPicture whether a block lies in a picture
 * @returns how sure a block lies in one, 0 to 255, and the share of the page in those that are certainly coloured
 */
export function findTintedAreas(
  grid: TintGrid,
  inPicture: (at: number) => boolean,
): { tinted: Uint8Array; coloured: number } {
  const { across, down } = grid;
  const [red, blue, weight] = [grid.red, grid.blue, grid.weight].map((plane) =>
    boxMean(plane, across, down, TINT.reach, TINT.reach),
  ) as [Float32Array, Float32Array, Float32Array];
  const tint = red.map((value, at) => Math.sqrt(value * value + blue[at]! * blue[at]!) / Math.max(1e-6, weight[at]!));
  const isTinted = Uint8Array.from(tint, (value) => (value >= TINT.least ? 1 : 0));
  const isSure = tint.map((value) => (value >= TINT.from ? 1 : 0));
  const thick = boxMean(isSure, across, down, THICK.reach, THICK.reach).map((share) => (share > THICK.filled ? 1 : 0));
  const kept = new Float32Array(tint.length);
  const [seen, inside] = [new Uint8Array(tint.length), new Uint8Array(tint.length)];
  let coloured = 0;
  for (let start = 0; start < seen.length; start += 1) {
    if (seen[start] === 1 || thick[start] === 0) continue;
    const area = areaFrom(start, isTinted, seen, across);
    if (isOfPen(area, grid, inside) || !isGround(area, { tint, isTinted, thick, inPicture, across })) continue;
    for (const at of area) {
      kept[at] = 255;
      if (tint[at]! >= TINT.certain && !inPicture(at)) coloured += 1;
    }
  }
  const tinted = Uint8Array.from(boxMean(kept, across, down, 1, 1));
  return { tinted, coloured: coloured / tint.length };
}

function areaFrom(start: number, isTinted: Uint8Array, seen: Uint8Array, across: number): number[] {
  const area = [start];
  const add = (at: number): void => {
    if (isTinted[at] !== 1 || seen[at] === 1) return;
    seen[at] = 1;
    area.push(at);
  };
  seen[start] = 1;
  for (let k = 0; k < area.length; k += 1) {
    const at = area[k]!;
    const i = at % across;
    if (i > 0) add(at - 1);
    if (i < across - 1) add(at + 1);
    add(at - across);
    add(at + across);
  }
  return area;
}

/** Whether strokes of a coloured pen alone give an area its colour. @param inside zeros, as at its return */
function isOfPen(area: readonly number[], { chroma, luma, across }: TintGrid, inside: Uint8Array): boolean {
  for (const at of area) inside[at] = 1;
  let [lumas, chromas, products] = [0, 0, 0];
  for (const at of area) {
    for (const other of [at + PEN.step, at + PEN.step * across]) {
      if (inside[other] !== 1) continue;
      const [darker, stronger] = [luma[other]! - luma[at]!, chroma[at]! - chroma[other]!];
      lumas += darker * darker;
      chromas += stronger * stronger;
      products += darker * stronger;
    }
  }
  for (const at of area) inside[at] = 0;
  const meanOf = (part: readonly number[]): number => part.reduce((sum, at) => sum + chroma[at]!, 0) / part.length;
  const mean = meanOf(area);
  if (products < PEN.correlation * Math.sqrt(lumas * chromas)) return false;
  if (Math.sqrt(chromas / area.length / 2) < PEN.uneven * mean) return false;
  const lightest = [...area].sort((one, other) => luma[other]! - luma[one]!).slice(0, Math.ceil(area.length / 4));
  return meanOf(lightest) <= PEN.light * mean;
}

interface Surroundings {
  tint: Float32Array;
  isTinted: Uint8Array;
  thick: Float32Array;
  inPicture: (at: number) => boolean;
  across: number;
}

function isGround(area: readonly number[], { tint, isTinted, thick, inPicture, across }: Surroundings): boolean {
  let [outline, edges, thicks, pictures] = [0, 0, 0, 0];
  const look = (at: number, step: number): void => {
    if (isTinted[at + step] !== 0) return;
    const [inside, outside] = [tint[at - EDGE.inside * step], tint[at + EDGE.outside * step]];
    if (inside === undefined || outside === undefined) return;
    outline += 1;
    if (inside - outside >= EDGE.drop * inside) edges += 1;
  };
  for (const at of area) {
    thicks += thick[at]!;
    if (inPicture(at)) pictures += 1;
    const i = at % across;
    if (i >= EDGE.outside) look(at, -1);
    if (i < across - EDGE.outside) look(at, 1);
    look(at, -across);
    look(at, across);
  }
  if (thicks < THICK.share * area.length) return false;
  return pictures >= WITH_PICTURE * area.length || edges >= EDGE.share * outline;
}
