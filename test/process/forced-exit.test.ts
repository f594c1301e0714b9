import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { EXIT_TIMES } from '../../src/process/forced-exit.ts';

const SHORT = JSON.stringify({ orderlyMs: 300, latestMs: 900 });
const MODULE = JSON.stringify(new URL('../../src/process/forced-exit.ts', import.meta.url).href);

/** Runs a program that has to end, and then does something else. @returns its exit code and the signal that ended it */
async function endingWhile(rest: string): Promise<unknown[]> {
  const program = `import { forceExit } from ${MODULE}; forceExit(69, ${SHORT}); ${rest}`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return await once(child, 'exit');
}

describe('a process that has to end', () => {
  test('ends with its exit code although other work goes on', async () => {
    expect(await endingWhile('setInterval(() => undefined, 10);')).toEqual([69, null]);
  });

  test.each([
    ['its event loop is blocked at once', 'for (;;);'],
    [
      'a handler of its exit never returns',
      "setInterval(() => undefined, 10); process.on('exit', () => { for (;;); });",
    ],
  ])('is killed by its own thread when %s', async (_what, rest) => {
    expect(await endingWhile(rest)).toEqual([null, 'SIGKILL']);
  });

  test('has at most 30 seconds, and is killed only after the time for an orderly end', () => {
    expect(EXIT_TIMES.latestMs).toBeLessThan(30_000);
    expect(EXIT_TIMES.orderlyMs).toBeLessThan(EXIT_TIMES.latestMs);
  });
});
