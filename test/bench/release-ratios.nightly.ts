import { expect, test } from '@jest/globals';
import { findWorse, readReleaseRatios } from '../../bench/lifecycle/release-ratios.ts';
import type { Figure } from '../../bench/lifecycle/table.ts';

/* A ratio is told when it is worse than that of the last release by more than a tenth. */

const cost = (value: number): Figure => ({ name: 'cost', value, unit: ' ms', floors: [[10, 'a floor']] });
const rate = (value: number): Figure => ({ ...cost(value), name: 'rate', isRate: true });
const release = { 'cost : a floor': 2, 'rate : a floor': 2 };

test.each([
  ['a cost', [cost(21.9), rate(20)], []],
  ['a cost that is less', [cost(5), rate(20)], []],
  ['a rate', [cost(20), rate(18.1)], []],
  ['a higher rate', [cost(20), rate(50)], []],
])('nothing is told of %s within a tenth', (_, figures, told) => {
  expect(findWorse(figures, release)).toEqual(told);
});

test('a higher cost, a lower rate and a missing figure are told', () => {
  expect(findWorse([cost(22.1), rate(17.9)], release)).toEqual([
    '"cost : a floor" is 2.21; the last release had 2.00.',
    '"rate : a floor" is 1.79; the last release had 2.00.',
  ]);
  expect(findWorse([cost(20)], release)).toEqual([
    '"rate : a floor" was not measured. Run again, or save the ratios of this version.',
  ]);
});

test('the last release has the ratios of the table in the documents', async () => {
  expect(Object.keys(await readReleaseRatios())).toContain(
    'CPU of a small file, all processes : a bare workflow and bare sharp with a matrix',
  );
});
