import { expect, jest, test } from '@jest/globals';
import { shiftLikelihood } from '../../src/image/steps/tone-likelihood.ts';
import { fitFilters } from '../../../../tools/train/tone/filters.ts';

const [ROWS, COLUMNS] = [8, 8];
const size = ROWS * COLUMNS;
/** A peak with a tail to its right and another below, moved by rows and columns. */
const histogram = (down: number, right: number, noise: number): Float32Array => {
  const bins = Float32Array.from({ length: size }, (_, i) => noise * (((i * 7919 + down * 31 + right * 17) % 97) / 97));
  const add = (row: number, column: number, value: number): void => {
    bins[((row + down + ROWS) % ROWS) * COLUMNS + ((column + right + COLUMNS) % COLUMNS)]! += value;
  };
  add(0, 0, 1);
  add(0, 1, 0.6);
  add(2, 0, 0.4);
  return bins;
};
const shifts = Array.from({ length: 40 }, (_, i) => [(i * 3) % ROWS, (i * 5 + 1) % COLUMNS] as const);

test('learned filters find the shift of histograms that they never saw', () => {
  jest.spyOn(console, 'log').mockReturnValue(undefined);
  const seen = shifts.filter(([down, right]) => (down + right) % 3 > 0);
  const samples = seen.map((shift) => ({ histograms: [histogram(...shift, 0.2)], shift, weight: 1 }));
  const options = { columns: COLUMNS, decay: 1e-4, roughness: 1e-4, spread: 0.6, rounds: 30 };
  const filters = fitFilters(samples, options);
  for (const [down, right] of shifts.filter(([y, x]) => (y + x) % 3 === 0)) {
    const found = shiftLikelihood([histogram(down, right, 0.2)], filters, COLUMNS);
    expect(found.indexOf(0)).toBe(down * COLUMNS + right);
  }
  expect(fitFilters(samples, options)).toEqual(filters);
});
