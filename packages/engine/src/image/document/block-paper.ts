import { mostAround } from './page-planes.ts';

/** Side of a block that has one light of paper, pixels, and the share of its pixels that are lighter. */
export const PAPER_BLOCK = 16;
const LIGHTER = 0.15;

/** The light of the paper in each block: the lightest one beside it counts, so that a block of ink takes that of its surroundings. */
export function paperOfBlocks(data: Uint8Array, { width, height }: { width: number; height: number }): Uint8Array {
  const [across, down] = [Math.ceil(width / PAPER_BLOCK), Math.ceil(height / PAPER_BLOCK)];
  const own = new Uint8Array(across * down);
  const histogram = new Uint32Array(256);
  for (let at = 0; at < own.length; at += 1) {
    const [left, top] = [(at % across) * PAPER_BLOCK, Math.floor(at / across) * PAPER_BLOCK];
    const [right, bottom] = [Math.min(width, left + PAPER_BLOCK), Math.min(height, top + PAPER_BLOCK)];
    histogram.fill(0);
    for (let y = top; y < bottom; y += 1) for (let x = left; x < right; x += 1) histogram[data[y * width + x]!]! += 1;
    const most = LIGHTER * (right - left) * (bottom - top);
    let level = 255;
    for (let above = histogram[255]!; above < most;) above += histogram[(level -= 1)]!;
    own[at] = level;
  }
  return mostAround(own, across, 1);
}
