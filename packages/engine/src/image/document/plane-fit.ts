import { solve } from '../linear-equations.ts';
import type { PageCells } from './page-cells.ts';

/**
 * Fits a plane to values of cells by least squares. Light and its colour change evenly over a page where lamps and windows light it.
 * @param counts 1 for the cells that count
 * @returns the value of the plane at a cell
 */
export function fitPlane(
  { columns, rows }: PageCells,
  values: Float32Array,
  counts: Uint8Array,
): (at: number) => number {
  const terms = (at: number): readonly [number, number, number] => [
    1,
    (at % columns) / columns - 0.5,
    Math.floor(at / columns) / rows - 0.5,
  ];
  // A little weight on the slopes keeps a few cells in one place from setting them.
  const normal = [
    [1e-9, 0, 0, 0],
    [0, 1, 0, 0],
    [0, 0, 1, 0],
  ];
  for (let at = 0; at < counts.length; at += 1) {
    if (counts[at] === 0) continue;
    const here = terms(at);
    for (let i = 0; i < 3; i += 1) {
      for (let j = 0; j < 3; j += 1) normal[i]![j]! += here[i]! * here[j]!;
      normal[i]![3]! += here[i]! * values[at]!;
    }
  }
  // Without a cell that counts, there is no solution, and the plane is 0.
  const [level, across, down] = (solve(normal) ?? [0, 0, 0]) as [number, number, number];
  return (at) => {
    const [, x, y] = terms(at);
    return level + across * x + down * y;
  };
}
