import { expect, test } from '@jest/globals';
import { usagePeriod } from '../../src/domain/accounts/usage.ts';

const NOW = Date.parse('2026-03-31T18:00:00Z');

test('a usage report covers today and the 30 days before it by default', () => {
  expect(usagePeriod({}, NOW)).toEqual({ since: '2026-03-01T00:00:00.000Z', until: '2026-04-01T00:00:00.000Z' });
});

test('a usage report has at most 366 days, with its last day', () => {
  expect(usagePeriod({ since: '2024-01-01', until: '2024-12-31' }, NOW).until).toBe('2025-01-01T00:00:00.000Z');
  expect(() => usagePeriod({ since: '2024-01-01', until: '2025-01-01' }, NOW)).toThrow('at most 366 days');
});
