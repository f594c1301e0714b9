import { smoothStep } from '../ramps.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { paperRows, type PaperSurface } from './paper-surface.ts';

/** Longer side of a page, pixels, at which a line is about one pixel wide. */
const PIXELS_OF_LINE = 1200;
/** Chroma that paper and ink never have, as a share of the paper's light. */
const LEAST_CHROMA = 0.1;

/** A page divided by its paper. 255 is paper, and 0 is black. */
export interface PagePlanes {
  width: number;
  height: number;
  luma: Uint8Array;
  /** Pixels a side of a block */
  block: number;
  blocksAcross: number;
  /** How sure a block is coloured, 0 to 255; empty for grey pages */
  coloured: Uint8Array;
}

/** Width of a thin line, pixels, and with it the blur that is usual at the size of the page. */
export const lineWidth = ({ width, height }: { width: number; height: number }): number =>
  Math.max(1, Math.round(Math.max(width, height) / PIXELS_OF_LINE));

/** Divides a page by its paper, and finds the blocks with colour. */
export function dividePage(picture: Picture, surface: PaperSurface): PagePlanes {
  const { width, height, data, channels } = picture;
  const colours = colourChannels(picture);
  const block = lineWidth(picture);
  const [across, down] = [Math.ceil(width / block), Math.ceil(height / block)];
  const luma = new Uint8Array(width * height);
  const paperAt = paperRows(surface, width);
  const scale = 255 / maxSample(picture);
  const sums = Array.from({ length: colours }, () => new Float32Array(across));
  const chroma = new Float32Array(colours === 3 ? across * down : 0);
  const [redSum, greenSum, blueSum] = sums as [Float32Array, Float32Array, Float32Array];
  for (let y = 0; y < height; y += 1) {
    const [redPaper, greenPaper, bluePaper] = paperAt(y) as [Float32Array, Float32Array, Float32Array];
    for (let x = 0, at = y * width, from = at * channels; x < width; x += 1, at += 1, from += channels) {
      const first = (data[from]! * scale) / redPaper[x]!;
      if (colours === 1) {
        luma[at] = Math.min(255, 255 * first);
        continue;
      }
      const green = (data[from + 1]! * scale) / greenPaper[x]!;
      const blue = (data[from + 2]! * scale) / bluePaper[x]!;
      luma[at] = Math.min(255, 76.2 * first + 149.7 * green + 29.1 * blue);
      const to = Math.floor(x / block);
      redSum[to]! += first;
      greenSum[to]! += green;
      blueSum[to]! += blue;
    }
    if (colours === 3 && ((y + 1) % block === 0 || y === height - 1)) {
      const row = Math.floor(y / block) * across;
      for (let i = 0; i < across; i += 1) {
        const pixels = ((y % block) + 1) * Math.min(block, width - i * block);
        const [red, green, blue] = [redSum[i]! / pixels, greenSum[i]! / pixels, blueSum[i]! / pixels];
        chroma[row + i] = Math.max(red, green, blue) - Math.min(red, green, blue);
      }
      for (const sum of sums) sum.fill(0);
    }
  }
  const light = surface.channels[0]!.reduce((sum, value) => sum + value, 0) / surface.channels[0]!.length;
  const least = Math.max(LEAST_CHROMA, (4 * surface.noise) / light / block);
  const coloured = mostAround(colouredBlocks(chroma, across, down, least), across, 1);
  return { width, height, luma, block, blocksAcross: across, coloured };
}

/** Means of up to 3 × 3 blocks decide, so single noisy blocks do not count. */
function colouredBlocks(chroma: Float32Array, across: number, down: number, least: number): Uint8Array {
  const sure = new Uint8Array(chroma.length);
  if (chroma.length === 0) return sure;
  for (let j = 0; j < down; j += 1) {
    const [top, bottom] = [Math.max(0, j - 1), Math.min(down - 1, j + 1)];
    for (let i = 0; i < across; i += 1) {
      const [left, right] = [Math.max(0, i - 1), Math.min(across - 1, i + 1)];
      let sum = 0;
      for (let row = top * across; row <= bottom * across; row += across)
        for (let at = row + left; at <= row + right; at += 1) sum += chroma[at]!;
      // Rounded as before, so that results of this engine version stay the same.
      const mean = Math.fround(sum / ((bottom - top + 1) * (right - left + 1)));
      sure[j * across + i] = 255 * smoothStep(mean / least - 1);
    }
  }
  return sure;
}

/**
 * The greatest value of the square around each place of a plane, up to `reach` places on each side. Most places of a page have no
 * value, and cost nothing.
 */
export function mostAround<Plane extends Uint8Array | Uint32Array>(plane: Plane, across: number, reach: number): Plane {
  const rows = plane.slice() as Plane;
  for (let start = 0; start < plane.length; start += across) {
    const end = start + across;
    for (let at = start; at < end; at += 1) {
      const value = plane[at]!;
      if (value === 0) continue;
      const last = Math.min(end - 1, at + reach);
      for (let near = Math.max(start, at - reach); near <= last; near += 1) if (rows[near]! < value) rows[near] = value;
    }
  }
  const result = rows.slice() as Plane;
  for (let at = 0; at < plane.length; at += 1) {
    const value = rows[at]!;
    if (value === 0) continue;
    const last = Math.min(plane.length - 1, at + reach * across);
    for (let near = at - Math.min(reach, Math.floor(at / across)) * across; near <= last; near += across)
      if (result[near]! < value) result[near] = value;
  }
  return result;
}

/** Smooths a plane with the kernel 1-2-1 in both directions, which leaves 3/8 of white noise. */
export function smoothPlane(plane: Uint8Array, width: number, height: number): Uint8Array {
  const rows = new Uint16Array(plane.length);
  for (let y = 0; y < height; y += 1) {
    const row = y * width;
    for (let x = 0; x < width; x += 1) {
      const [before, after] = [plane[row + Math.max(0, x - 1)]!, plane[row + Math.min(width - 1, x + 1)]!];
      rows[row + x] = before + 2 * plane[row + x]! + after;
    }
  }
  const result = new Uint8Array(plane.length);
  for (let y = 0; y < height; y += 1) {
    const [above, row, below] = [Math.max(0, y - 1) * width, y * width, Math.min(height - 1, y + 1) * width];
    for (let x = 0; x < width; x += 1)
      result[row + x] = (rows[above + x]! + 2 * rows[row + x]! + rows[below + x]! + 8) >> 4;
  }
  return result;
}
