/**
 * Returns the logarithms of how likely each shift of histograms is, by bin, 0 for the most likely one: their convolution with filters that
 * tools/train/tone learned (Barron, Convolutional Color Constancy, 2015). A picture with shifted histograms has the same likelihood, shifted.
 * @param histograms of the same size, rows of `columns` bins that begin again at their end
 * @param filters one of the size of a histogram for each, one after the other
 */
export function shiftLikelihood(
  histograms: readonly Float32Array[],
  filters: Float32Array,
  columns: number,
): Float32Array {
  const size = histograms[0]!.length;
  const sums = new Float32Array(size);
  for (const [n, histogram] of histograms.entries()) {
    const twice = withRowsTwice(filters.subarray(n * size, (n + 1) * size), columns);
    for (let bin = 0; bin < size; bin += 1)
      if (histogram[bin] !== 0) addShifted(sums, twice, histogram[bin]!, bin, columns);
  }
  const most = sums.reduce((a, b) => Math.max(a, b));
  return sums.map((value) => value - most);
}

/** Adds a filter times a value, shifted by the row and column of a bin. @param twice the filter, with each row repeated at its end */
function addShifted(sums: Float32Array, twice: Float32Array, value: number, bin: number, columns: number): void {
  const rows = sums.length / columns;
  const [down, right] = [Math.floor(bin / columns), bin % columns];
  for (let row = 0; row < rows; row += 1) {
    const to = (row + down < rows ? row + down : row + down - rows) * columns;
    const from = 2 * row * columns + columns - right;
    for (let column = 0; column < columns; column += 1) sums[to + column]! += value * twice[from + column]!;
  }
}

/** Returns values whose rows are repeated at their end. */
function withRowsTwice(values: Float32Array, columns: number): Float32Array {
  const twice = new Float32Array(2 * values.length);
  for (let at = 0; at < values.length; at += columns) {
    const row = values.subarray(at, at + columns);
    twice.set(row, 2 * at);
    twice.set(row, 2 * at + columns);
  }
  return twice;
}
