import { forwardDct, inverseDct } from './dct.ts';

/**
 * Edge-preserving smoothing of a plane by hard thresholding in overlapping 8×8 DCT blocks. Source: Yu and Sapiro, "DCT
 * image denoising: a simple and effective image denoising algorithm", IPOL 2011. The weight of a block is its sparsity
 * after thresholding, so that blocks without an edge dominate next to edges.
 * @param thresholds 64 values; smaller coefficients become 0, except the mean of a block
 * @param step distance of the blocks, pixels: at 8 they tile the plane, at 4 each pixel belongs to four blocks
 * @returns a new plane of the same size
 */
export function shrinkPlane(
  plane: Float32Array,
  width: number,
  height: number,
  thresholds: Float32Array,
  step: number,
): Float32Array {
  const sum = new Float32Array(width * height);
  const weights = new Float32Array(width * height);
  const block = new Float32Array(64);
  const inside = width >= 8 && height >= 8;
  for (let y = step - 8; y < height; y += step) {
    for (let x = step - 8; x < width; x += step) {
      const whole = inside && x >= 0 && y >= 0 && x + 8 <= width && y + 8 <= height;
      if (whole) readBlock(plane, width, x, y, block);
      else readEdgeBlock(plane, width, height, x, y, block);
      const weight = shrinkBlock(block, thresholds);
      const [x0, x1, y1] = [Math.max(0, x), Math.min(width, x + 8), Math.min(height, y + 8)];
      for (let row = Math.max(0, y); row < y1; row += 1) {
        const from = (row - y) * 8 - x;
        const to = row * width;
        for (let column = x0; column < x1; column += 1) {
          sum[to + column]! += block[from + column]! * weight;
          weights[to + column]! += weight;
        }
      }
    }
  }
  for (let i = 0; i < sum.length; i += 1) sum[i]! /= weights[i]!;
  return sum;
}

function shrinkBlock(block: Float32Array, thresholds: Float32Array): number {
  forwardDct(block);
  let kept = 0;
  for (let i = 1; i < 64; i += 1) {
    const value = block[i]!;
    const threshold = thresholds[i]!;
    if (value < threshold && value > -threshold) block[i] = 0;
    else kept += 1;
  }
  if (kept === 0) block.fill(block[0]! / 8);
  else inverseDct(block);
  return 1 / (1 + kept);
}

function readBlock(plane: Float32Array, width: number, x: number, y: number, block: Float32Array): void {
  for (let row = 0; row < 8; row += 1) {
    const at = (y + row) * width + x;
    for (let column = 0; column < 8; column += 1) block[row * 8 + column] = plane[at + column]!;
  }
}

/** Reads a block that extends beyond the edge; the edge's rows and columns are repeated. */
function readEdgeBlock(
  plane: Float32Array,
  width: number,
  height: number,
  x: number,
  y: number,
  block: Float32Array,
): void {
  for (let i = 0; i < 64; i += 1) {
    const column = Math.min(width - 1, Math.max(0, x + (i & 7)));
    const row = Math.min(height - 1, Math.max(0, y + (i >> 3)));
    block[i] = plane[row * width + column]!;
  }
}
