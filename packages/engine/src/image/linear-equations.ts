/** Smallest pivot, below which equations count as dependent. */
const SINGULAR = 1e-9;

/**
 * Solves linear equations of a positive definite matrix by elimination, in place.
 * @param rows coefficients of each equation, with its right side behind them
 * @returns undefined without one solution
 */
export function solve(rows: readonly number[][]): number[] | undefined {
  for (const [i, row] of rows.entries()) {
    if (!(Math.abs(row[i]!) > SINGULAR)) return undefined;
    for (const below of rows.slice(i + 1)) {
      const factor = below[i]! / row[i]!;
      for (let j = i; j < row.length; j += 1) below[j]! -= factor * row[j]!;
    }
  }
  const result = rows.map(() => 0);
  for (let i = rows.length - 1; i >= 0; i -= 1) {
    const known = result.reduce((sum, value, j) => (j > i ? sum + rows[i]![j]! * value : sum), 0);
    result[i] = (rows[i]!.at(-1)! - known) / rows[i]![i]!;
  }
  return result;
}
