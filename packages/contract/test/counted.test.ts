import { expect, test } from '@jest/globals';
import { counted, formatNumber } from '@burnish/contract';

test('a count of one is singular, and none or several are plural', () => {
  expect([0, 1, 2].map((count) => counted(count, 'credit'))).toEqual(['0 credits', '1 credit', '2 credits']);
});

test('large numbers have separators of thousands', () => {
  expect(counted(46_315, 'byte')).toBe('46,315 bytes');
  expect([999, 1000, 1_000_000_000, 1234.5].map(formatNumber)).toEqual(['999', '1,000', '1,000,000,000', '1,234.5']);
});
