import { expect, test } from '@jest/globals';
import { spyOn } from 'jest-mock';
import { readOnlyMounts } from '../src/isolation/mounts.ts';

// Without the exclusion, a report asks a name server about each connection, and the process stands still until it answers.
test('the libraries of the jail are read once, and without the connections of the process', () => {
  const excludes = (): unknown => Reflect.get(process.report, 'excludeNetwork');
  const before = excludes();
  const excluded: unknown[] = [];
  const { getReport } = process.report;
  const spy = spyOn(process.report, 'getReport').mockImplementation(() => {
    excluded.push(excludes());
    return getReport.call(process.report);
  });
  try {
    expect(readOnlyMounts(['/'])).toEqual(readOnlyMounts(['/']));
    expect(readOnlyMounts([])).toContain(process.execPath);
  } finally {
    spy.mockRestore();
  }
  // None where another test file of this process has read them.
  expect(excluded.length).toBeLessThanOrEqual(1);
  expect(excluded).not.toContain(false);
  expect(excludes()).toBe(before);
});
