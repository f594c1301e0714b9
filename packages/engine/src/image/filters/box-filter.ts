/**
 * Mean over the window of `radiusX` and `radiusY` around each sample; windows are truncated at the edges. The run time
 * does not depend on the radius.
 */
export function boxMean(
  plane: Float32Array,
  width: number,
  height: number,
  radiusX: number,
  radiusY: number,
): Float32Array {
  const rows = new Float32Array(plane.length);
  for (let y = 0; y < height; y += 1) {
    const row = y * width;
    let sum = 0;
    for (let x = 0; x < Math.min(radiusX, width); x += 1) sum += plane[row + x]!;
    for (let x = 0; x < width; x += 1) {
      if (x + radiusX < width) sum += plane[row + x + radiusX]!;
      if (x > radiusX) sum -= plane[row + x - radiusX - 1]!;
      rows[row + x] = sum / (Math.min(width - 1, x + radiusX) - Math.max(0, x - radiusX) + 1);
    }
  }
  const result = new Float32Array(plane.length);
  const sums = new Float64Array(width);
  for (let y = 0; y < Math.min(radiusY, height); y += 1) {
    for (let x = 0; x < width; x += 1) sums[x]! += rows[y * width + x]!;
  }
  for (let y = 0; y < height; y += 1) {
    const [entering, leaving] = [(y + radiusY) * width, (y - radiusY - 1) * width];
    const part = 1 / (Math.min(height - 1, y + radiusY) - Math.max(0, y - radiusY) + 1);
    for (let x = 0; x < width; x += 1) {
      if (y + radiusY < height) sums[x]! += rows[entering + x]!;
      if (y > radiusY) sums[x]! -= rows[leaving + x]!;
      result[y * width + x] = sums[x]! * part;
    }
  }
  return result;
}

/** Minimum over a sample and its eight neighbours. */
export function leastAround(plane: Float32Array, width: number): Float32Array {
  const lines = new Float32Array(plane.length);
  for (let i = 0; i < plane.length; i += 1) {
    const x = i % width;
    const own = plane[i]!;
    lines[i] = Math.min(own, x > 0 ? plane[i - 1]! : own, x < width - 1 ? plane[i + 1]! : own);
  }
  return lines.map((own, i) => Math.min(own, lines[i - width] ?? own, lines[i + width] ?? own));
}

/** Mean and variance over the window around each sample. */
export interface WindowStatistics {
  mean: Float32Array;
  /** Rounding may make it slightly negative */
  variance: Float64Array;
}

/** Returns the mean and the variance over the window of `radiusX` and `radiusY` around each sample. */
export function windowStatistics(
  plane: Float32Array,
  width: number,
  height: number,
  radiusX: number,
  radiusY: number,
): WindowStatistics {
  const mean = boxMean(plane, width, height, radiusX, radiusY);
  const square = new Float32Array(plane.length);
  for (let i = 0; i < plane.length; i += 1) square[i] = plane[i]! * plane[i]!;
  const meanSquare = boxMean(square, width, height, radiusX, radiusY);
  const variance = new Float64Array(plane.length);
  for (let i = 0; i < plane.length; i += 1) variance[i] = meanSquare[i]! - mean[i]! * mean[i]!;
  return { mean, variance };
}

/**
 * Linear models of a self-guided filter (He, Sun and Tang, 2010; on a reduced copy: "Fast guided filter", 2015). The
 * smoothed value of a sample is `slope` times its value plus `offset`.
 * @param epsilon variance below which a window counts as flat and is smoothed
 */
export function guidedModels(
  { mean, variance }: WindowStatistics,
  width: number,
  height: number,
  [radiusX, radiusY]: readonly [number, number],
  epsilon: number,
): { slope: Float32Array; offset: Float32Array } {
  const [slope, offset] = [new Float32Array(mean.length), new Float32Array(mean.length)];
  for (let i = 0; i < mean.length; i += 1) {
    const own = Math.max(0, variance[i]!);
    slope[i] = own / (own + epsilon);
    offset[i] = mean[i]! * (1 - slope[i]!);
  }
  return {
    slope: boxMean(slope, width, height, radiusX, radiusY),
    offset: boxMean(offset, width, height, radiusX, radiusY),
  };
}
