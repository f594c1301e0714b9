import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { deathError, notStarted, oomKills } from '../src/child/child-errors.ts';
import { cpuTimeMs, msOfPs } from '../src/watch/process-usage.ts';

describe('CPU time of a process', () => {
  test.each([
    ['0:00.07', 70],
    ['1:02', 62_000],
    ['12:34.56', 754_560],
    ['01:00:00', 3_600_000],
    ['2-03:04:05', 183_845_000],
    [' 00:00:01\n', 1_000],
  ])('of ps as %j is read in milliseconds', (text, ms) => {
    expect(msOfPs(text)).toBe(ms);
  });

  test.each(['', 'TIME', '12', '1:2:3:4', '-1:00', '1:xx'])('of ps as %j is unknown', (text) => {
    expect(msOfPs(text)).toBeUndefined();
  });

  test('of procfs counts the process, the processes below it, and those that have ended', async () => {
    const burn = 'const end = Date.now() + 300; while (Date.now() < end);';
    const script = `
      const { spawn, spawnSync } = require('node:child_process');
      spawnSync(process.execPath, ['-e', ${JSON.stringify(burn)}]);
      const below = spawn(process.execPath, ['-e', ${JSON.stringify(`${burn} console.log(); setInterval(() => 0, 1e6);`)}]);
      below.stdout.once('data', () => console.log(below.pid));
    `;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const below = Number(line.toString());
    const [all, one] = [(await cpuTimeMs(child.pid!))!, (await cpuTimeMs(below))!];
    for (const pid of [below, child.pid!]) process.kill(pid, 'SIGKILL');
    await once(child, 'exit');
    expect(one).toBeGreaterThan(50);
    // The first process below has ended, and has used about as much.
    expect(all).toBeGreaterThan(1.3 * one);
    expect(await cpuTimeMs(child.pid!)).toBeUndefined();
  });
});

describe('a child that a signal from outside has ended', () => {
  const exit = { code: null, by: 'SIGKILL', stderrTail: '' } as const;

  test('lacked memory if the kernel has ended a process for lack of it since the task began', () => {
    const death = deathError({ ...exit, oomKillsBefore: oomKills() - 1 });
    expect(death).toMatchObject({ code: 'KILLED', lacksMemory: true, mayRepeat: true });
  });

  test('lacked memory if the kernel has ended it at its start', () => {
    const cause = new Error('The child did not start.');
    expect(notStarted(cause, oomKills() - 1)).toMatchObject({ code: 'NOT_STARTED', lacksMemory: true });
    expect(notStarted(cause, oomKills())).toMatchObject({ code: 'NOT_STARTED', lacksMemory: false });
  });

  test('lacked no memory if the kernel has ended none', () => {
    const death = deathError({ ...exit, oomKillsBefore: oomKills() });
    expect(death).toMatchObject({ code: 'KILLED', lacksMemory: false });
    // The exit code of a supervisor names the same signal.
    const ofSupervisor = deathError({ ...exit, by: null, code: 137, oomKillsBefore: oomKills() });
    expect(ofSupervisor).toMatchObject({ code: 'KILLED', lacksMemory: false });
  });

  test('is told from one that ended for a defect of its own', () => {
    const before = { stderrTail: '', oomKillsBefore: oomKills() - 1 };
    expect(deathError({ ...before, code: null, by: 'SIGSEGV' }).code).toBe('CRASHED');
    for (const stderrTail of ['heap out of memory', '../glib/gmem.c:136: failed to allocate 4096 bytes'])
      expect(deathError({ ...before, code: 134, by: null, stderrTail }).code).toBe('OUT_OF_MEMORY');
  });
});
