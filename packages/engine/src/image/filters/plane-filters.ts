/** Half of a Gaussian kernel, from its centre; the weights of the full kernel add up to 1. */
export function gaussianKernel(sigma: number): Float32Array {
  const half = Float32Array.from({ length: Math.ceil(2.5 * sigma) + 1 }, (_, i) =>
    Math.exp(-(i * i) / (2 * sigma * sigma)),
  );
  const sum = half.reduce((a, b) => a + b, 0) * 2 - half[0]!;
  return half.map((value) => value / sum);
}

/** Convolves a plane with a symmetric kernel in both directions; edge samples are repeated. */
export function blurPlane(plane: Float32Array, width: number, height: number, kernel: Float32Array): Float32Array {
  const rows = new Float32Array(plane.length);
  const reach = kernel.length - 1;
  const line = new Float32Array(width + 2 * reach);
  for (let y = 0; y < height; y += 1) {
    padLine(plane, y * width, width, line, reach);
    for (let x = 0; x < width; x += 1) {
      let sum = kernel[0]! * line[x + reach]!;
      for (let k = 1; k <= reach; k += 1) sum += kernel[k]! * (line[x + reach - k]! + line[x + reach + k]!);
      rows[y * width + x] = sum;
    }
  }
  const result = new Float32Array(plane.length);
  for (let y = 0; y < height; y += 1) {
    const to = y * width;
    for (let x = 0; x < width; x += 1) result[to + x] = kernel[0]! * rows[to + x]!;
    for (let k = 1; k <= reach; k += 1) {
      const [above, below] = [Math.max(0, y - k) * width, Math.min(height - 1, y + k) * width];
      const weight = kernel[k]!;
      for (let x = 0; x < width; x += 1) result[to + x]! += weight * (rows[above + x]! + rows[below + x]!);
    }
  }
  return result;
}

/** Returns the minimum and the maximum in the square of `radius` pixels around each pixel. */
export function neighbourhoodRange(
  plane: Float32Array,
  width: number,
  height: number,
  radius: number,
): { low: Float32Array; high: Float32Array } {
  const [lowRows, highRows] = [new Float32Array(plane.length), new Float32Array(plane.length)];
  const line = new Float32Array(width + 2 * radius);
  for (let y = 0; y < height; y += 1) {
    padLine(plane, y * width, width, line, radius);
    for (let x = 0; x < width; x += 1) {
      let low = line[x]!;
      let high = low;
      for (let k = 1; k <= 2 * radius; k += 1) {
        const value = line[x + k]!;
        if (value < low) low = value;
        if (value > high) high = value;
      }
      lowRows[y * width + x] = low;
      highRows[y * width + x] = high;
    }
  }
  const [low, high] = [lowRows.slice(), highRows.slice()];
  for (let y = 0; y < height; y += 1) {
    for (let k = -radius; k <= radius; k += 1) {
      const from = Math.min(height - 1, Math.max(0, y + k)) * width;
      for (let x = 0; x < width; x += 1) {
        const to = y * width + x;
        if (lowRows[from + x]! < low[to]!) low[to] = lowRows[from + x]!;
        if (highRows[from + x]! > high[to]!) high[to] = highRows[from + x]!;
      }
    }
  }
  return { low, high };
}

function padLine(plane: Float32Array, at: number, length: number, line: Float32Array, pad: number): void {
  line.set(plane.subarray(at, at + length), pad);
  line.fill(plane[at]!, 0, pad);
  line.fill(plane[at + length - 1]!, pad + length);
}
