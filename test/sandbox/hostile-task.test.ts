import { expect, test } from '@jest/globals';
import { findJail } from '../../src/sandbox/jail.ts';
import { expectBounds, expectIsolation, runHostile } from './support/hostile-run.ts';

const { name, isolates } = findJail();

(!isolates ? test.skip : test)(
  isolates
    ? `a decoder that has been taken over reaches nothing of the machine (${name})`
    : 'a decoder that has been taken over reaches nothing of the machine: this machine has no bubblewrap',
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
