import { createHook } from 'node:async_hooks';
import { readdirSync, watch } from 'node:fs';
import { afterAll, expect, test } from '@jest/globals';
import { poll } from '../../../test/support/poll.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { faultyPool } from './pool.ts';

const pool = faultyPool({ files: { leave: { fillsFolder: 'outputDir', fillsNumbers: 'numbers' } } });
afterAll(() => pool.close());
const ONE = { tenant: 'one' };
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

/** Operations on files that this process makes meanwhile. */
async function operationsDuring(work: () => Promise<unknown>): Promise<number> {
  let operations = 0;
  const hook = createHook({
    init: (_, type) => {
      if (/^(FSREQ|DIRHANDLE)/.test(type)) operations += 1;
    },
  }).enable();
  try {
    await work();
    return operations;
  } finally {
    hook.disable();
  }
}

test('a child with many files and messages costs its parent no more than one with few', async () => {
  await using folder = await temporaryFolder();
  const input = { outputDir: folder.path, numbers: [7], names: names(1_500), messages: 50, restMs: 100 };
  expect(await operationsDuring(() => pool.run('leave', input, ONE))).toBeLessThan(250);
  expect(readdirSync(folder.path)).toEqual(['7']);
});

test('a complete file is taken while its task still works, and nothing else', async () => {
  await using folder = await temporaryFolder();
  const ending = new AbortController();
  const input = { outputDir: folder.path, numbers: [0, 1, 5], names: names(3), messages: 1, restMs: 60_000 };
  const task = pool.run('leave', input, { ...ONE, signal: ending.signal });
  await poll(() => readdirSync(folder.path)).toEqual(['0', '1']);
  ending.abort(new Error('Enough.'));
  await expect(task).rejects.toThrow('Enough.');
});

test('a signal ends the taking of files too', async () => {
  await using folder = await temporaryFolder();
  const ending = new AbortController();
  const watcher = watch(folder.path, () => ending.abort(new Error('Enough.')));
  const numbers = names(2_000);
  const input = { outputDir: folder.path, numbers, names: numbers, messages: 0, restMs: 0 };
  try {
    await expect(pool.run('leave', input, { ...ONE, signal: ending.signal })).rejects.toThrow('Enough.');
  } finally {
    watcher.close();
  }
});
