import { C1, C2, C3, C4, C5, C6, C7, forwardLine } from './dct.ts';

/** Distance of the blocks, pixels: each pixel belongs to four of them. */
const STEP = 4;

/**
 * Edge-preserving smoothing of a plane by hard thresholding in overlapping 8×8 DCT blocks. Source: Yu and Sapiro, "DCT
 * image denoising: a simple and effective image denoising algorithm", IPOL 2011. The weight of a block is its sparsity
 * after thresholding, so that blocks without an edge dominate next to edges. Beyond an edge, its samples are repeated.
 * @param thresholds 64 values; smaller coefficients become 0, except the mean of a block
 * @param target receives the result; not `plane`
 */
export function shrinkPlane(
  plane: Float32Array,
  width: number,
  height: number,
  thresholds: Float32Array,
  target: Float32Array,
): void {
  const band = createBand(width);
  const limits = thresholds.slice();
  limits[0] = 0;
  for (let y = -STEP; y < height; y += STEP) {
    // The upper half of the rows is the lower half of the blocks above.
    for (let row = y < 0 ? y : y + STEP; row < y + 8; row += 1) {
      const from = Math.min(height - 1, Math.max(0, row)) * width;
      transformRow(band, plane.subarray(from, from + width), row & 7);
    }
    shrinkBlocks(band, y & 7, limits);
    // No further block reaches the upper half.
    for (let row = y; row < y + STEP; row += 1) {
      if (row >= 0 && row < height) writeMeans(band, row & 7, target.subarray(row * width, (row + 1) * width));
    }
    clearUpperHalf(band, y & 7);
  }
}

/** A row of blocks, which reaches half a block beyond both edges. A row of pixels is at its number modulo 8. */
interface Band {
  /** Blocks */
  across: number;
  /** Pixels of a row */
  length: number;
  /** Horizontal DCT of the eight rows: eight coefficients of each block */
  lines: Float32Array;
  /** Sums of the results of the blocks, each times its weight */
  sums: Float32Array;
  /** Sums of the weights of each 4×4 pixels, which belong to the same blocks: upper half, lower half */
  weights: Float32Array;
  /** One row of samples */
  row: Float32Array;
  /** One block between its vertical and its horizontal transform */
  block: Float32Array;
}

function createBand(width: number): Band {
  const across = Math.ceil((width + STEP) / STEP);
  const length = (across + 1) * STEP;
  return {
    across,
    length,
    lines: new Float32Array(64 * across),
    sums: new Float32Array(8 * length),
    weights: new Float32Array(2 * (across + 1)),
    row: new Float32Array(length),
    block: new Float32Array(64),
  };
}

function transformRow({ across, lines, row }: Band, samples: Float32Array, slot: number): void {
  row.fill(samples[0]!, 0, STEP);
  row.set(samples, STEP);
  row.fill(samples[samples.length - 1]!, STEP + samples.length);
  let to = slot * 8 * across;
  for (let c = 0; c < across; c += 1, to += 8) {
    for (let u = 0; u < 8; u += 1) lines[to + u] = row[c * STEP + u]!;
    forwardLine(lines, to, 1);
  }
}

/**
 * @param first slot of the first row: 0 or 4
 * @param limits the thresholds, with 0 for the mean
 */
function shrinkBlocks(band: Band, first: number, limits: Float32Array): void {
  const { across, length, lines, sums, weights, block } = band;
  const pitch = 8 * across;
  for (let c = 0; c < across; c += 1) {
    const upper = first * pitch + 8 * c;
    const lower = (4 - first) * pitch + 8 * c;
    let kept = 0;
    for (let u = 0; u < 8; u += 1) kept += shrinkColumn(lines, upper + u, lower + u, pitch, limits, block, u);
    const weight = 1 / kept;
    const mean = kept === 1 ? meanOf(lines, upper, lower, pitch) : 0;
    for (let v = 0; v < 8; v += 1) {
      const to = ((first + v) & 7) * length + c * STEP;
      if (kept > 1) addRow(block, 8 * v, weight, sums, to);
      else for (let u = 0; u < 8; u += 1) sums[to + u]! += mean;
    }
    weights[c]! += weight;
    weights[c + 1]! += weight;
    weights[across + 1 + c]! += weight;
    weights[across + 2 + c]! += weight;
  }
}

/** Returns a sample of a block that keeps its mean only, for `upper` and `lower` as in `shrinkColumn`. */
function meanOf(lines: Float32Array, upper: number, lower: number, pitch: number): number {
  const outer = lines[upper]! + lines[lower + 3 * pitch]! + (lines[upper + 3 * pitch]! + lines[lower]!);
  const inner = lines[upper + pitch]! + lines[lower + 2 * pitch]! + (lines[upper + 2 * pitch]! + lines[lower + pitch]!);
  return Math.fround(Math.fround((outer + inner) * C4) / 8);
}

/**
 * Transforms a column of a block, removes its small coefficients, and transforms it back. The butterflies are those of `dct.ts`, in local
 * variables with the precision of arrays, which takes half of the time.
 * @param upper index of the first row of the column, and `lower` of the fifth; the next rows follow by `pitch`
 * @param u column of `block`, which receives the result
 * @returns the number of coefficients kept
 */
function shrinkColumn(
  lines: Float32Array,
  upper: number,
  lower: number,
  pitch: number,
  limits: Float32Array,
  block: Float32Array,
  u: number,
): number {
  const p0 = lines[upper]!;
  const p7 = lines[lower + 3 * pitch]!;
  const p1 = lines[upper + pitch]!;
  const p6 = lines[lower + 2 * pitch]!;
  const p2 = lines[upper + 2 * pitch]!;
  const p5 = lines[lower + pitch]!;
  const p3 = lines[upper + 3 * pitch]!;
  const p4 = lines[lower]!;
  const s0 = p0 + p7;
  const d0 = p0 - p7;
  const s1 = p1 + p6;
  const d1 = p1 - p6;
  const s2 = p2 + p5;
  const d2 = p2 - p5;
  const s3 = p3 + p4;
  const d3 = p3 - p4;
  const e0 = s0 + s3;
  const e1 = s1 + s2;
  const e2 = s0 - s3;
  const e3 = s1 - s2;
  let x0 = Math.fround((e0 + e1) * C4);
  let x1 = Math.fround(d0 * C1 + d1 * C3 + d2 * C5 + d3 * C7);
  let x2 = Math.fround(e2 * C2 + e3 * C6);
  let x3 = Math.fround(d0 * C3 - d1 * C7 - d2 * C1 - d3 * C5);
  let x4 = Math.fround((e0 - e1) * C4);
  let x5 = Math.fround(d0 * C5 - d1 * C1 + d2 * C7 + d3 * C3);
  let x6 = Math.fround(e2 * C6 - e3 * C2);
  let x7 = Math.fround(d0 * C7 - d1 * C5 + d2 * C3 - d3 * C1);
  let kept = 8;
  if (Math.abs(x0) < limits[u]!) {
    x0 = 0;
    kept -= 1;
  }
  if (Math.abs(x1) < limits[u + 8]!) {
    x1 = 0;
    kept -= 1;
  }
  if (Math.abs(x2) < limits[u + 16]!) {
    x2 = 0;
    kept -= 1;
  }
  if (Math.abs(x3) < limits[u + 24]!) {
    x3 = 0;
    kept -= 1;
  }
  if (Math.abs(x4) < limits[u + 32]!) {
    x4 = 0;
    kept -= 1;
  }
  if (Math.abs(x5) < limits[u + 40]!) {
    x5 = 0;
    kept -= 1;
  }
  if (Math.abs(x6) < limits[u + 48]!) {
    x6 = 0;
    kept -= 1;
  }
  if (Math.abs(x7) < limits[u + 56]!) {
    x7 = 0;
    kept -= 1;
  }
  if (kept === 0) {
    for (let i = u; i < 64; i += 8) block[i] = 0;
    return 0;
  }
  const sum = (x0 + x4) * C4;
  const difference = (x0 - x4) * C4;
  const f2 = x2 * C2 + x6 * C6;
  const f3 = x2 * C6 - x6 * C2;
  const o0 = x1 * C1 + x3 * C3 + x5 * C5 + x7 * C7;
  const o1 = x1 * C3 - x3 * C7 - x5 * C1 - x7 * C5;
  const o2 = x1 * C5 - x3 * C1 + x5 * C7 + x7 * C3;
  const o3 = x1 * C7 - x3 * C5 + x5 * C3 - x7 * C1;
  block[u] = sum + f2 + o0;
  block[u + 8] = difference + f3 + o1;
  block[u + 16] = difference - f3 + o2;
  block[u + 24] = sum - f2 + o3;
  block[u + 32] = sum - f2 - o3;
  block[u + 40] = difference - f3 - o2;
  block[u + 48] = difference + f3 - o1;
  block[u + 56] = sum + f2 - o0;
  return kept;
}

/** Transforms a row of a block back, and adds it to the sums at `to`. */
function addRow(block: Float32Array, at: number, weight: number, sums: Float32Array, to: number): void {
  const x0 = block[at]!;
  const x2 = block[at + 2]!;
  const x4 = block[at + 4]!;
  const x6 = block[at + 6]!;
  const x1 = block[at + 1]!;
  const x3 = block[at + 3]!;
  const x5 = block[at + 5]!;
  const x7 = block[at + 7]!;
  const sum = (x0 + x4) * C4;
  const difference = (x0 - x4) * C4;
  const f2 = x2 * C2 + x6 * C6;
  const f3 = x2 * C6 - x6 * C2;
  const o0 = x1 * C1 + x3 * C3 + x5 * C5 + x7 * C7;
  const o1 = x1 * C3 - x3 * C7 - x5 * C1 - x7 * C5;
  const o2 = x1 * C5 - x3 * C1 + x5 * C7 + x7 * C3;
  const o3 = x1 * C7 - x3 * C5 + x5 * C3 - x7 * C1;
  sums[to]! += Math.fround(sum + f2 + o0) * weight;
  sums[to + 1]! += Math.fround(difference + f3 + o1) * weight;
  sums[to + 2]! += Math.fround(difference - f3 + o2) * weight;
  sums[to + 3]! += Math.fround(sum - f2 + o3) * weight;
  sums[to + 4]! += Math.fround(sum - f2 - o3) * weight;
  sums[to + 5]! += Math.fround(difference - f3 - o2) * weight;
  sums[to + 6]! += Math.fround(difference + f3 - o1) * weight;
  sums[to + 7]! += Math.fround(sum + f2 - o0) * weight;
}

/** Writes the weighted means of a row. */
function writeMeans({ length, sums, weights }: Band, slot: number, target: Float32Array): void {
  const from = slot * length + STEP;
  for (let x = 0; x < target.length; x += 1) target[x] = sums[from + x]! / weights[(x >> 2) + 1]!;
}

/** Makes the lower half the upper one. @param first slot of the first row */
function clearUpperHalf({ across, length, sums, weights }: Band, first: number): void {
  sums.fill(0, first * length, (first + STEP) * length);
  weights.copyWithin(0, across + 1);
  weights.fill(0, across + 1);
}
