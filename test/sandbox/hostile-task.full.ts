import { expect, test } from '@jest/globals';
import { findJail } from '../../src/sandbox/jail.ts';
import { expectBounds, expectIsolation, runHostile } from './support/hostile-run.ts';
import { lackOf, testUnless } from '../support/needs.ts';

const { name, isolates } = findJail();

testUnless(lackOf('bwrap') ?? (isolates ? undefined : 'a kernel where bubblewrap works'))(
  `a decoder that has been taken over reaches nothing of the machine (${name})`,
  async () => {
    const report = (await runHostile('src', name))!;
    expect(report.succeeded).toEqual({});
    expectBounds(report);
    expectIsolation(report);
  },
);

test('a process without a jail still has limits on memory, time, files and results', async () => {
  const report = (await runHostile('src', 'process'))!;
  // The attempts are real ones: here they succeed.
  expect(report.succeeded).toHaveProperty('read a file of the data folder');
  expectBounds(report);
});
