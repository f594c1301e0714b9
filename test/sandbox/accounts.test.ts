import { writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { poll } from '../support/poll.ts';
import { decoders } from '../support/decoders.ts';
import { listOfTasks } from './support/list-of-tasks.ts';
import { scratchFolder } from '../../packages/engine/test/support/files.ts';

const scratch = await scratchFolder();
const tasksUrl = listOfTasks('hoarding-tasks');

interface Hoard {
  child: string;
  content: string;
  known: { memory: string[]; descriptors: string[]; files: string[] };
}

/** A sandbox whose decoders keep everything that they read. */
function hoarding(options: SandboxOptions = {}) {
  const files = { hoard: { reads: ['inputPath'] } };
  const sandbox = createSandbox({ concurrency: 1, tasksUrl, files, ...options });
  const run = sandbox.run as unknown as (task: string, input: object, of: { account: string }) => Promise<Hoard>;
  return {
    async read(account: string): Promise<Hoard> {
      const inputPath = scratch(account);
      await writeFile(inputPath, `bytes of ${account}`);
      return run('hoard', { inputPath }, { account });
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

test('a decoder that keeps the files of one account never gets those of another', async () => {
  await using sandbox = hoarding({ idleMemoryBytes: 1e9 });
  const first = await sandbox.read('A');
  const nothing = { memory: [], descriptors: [], files: [] };
  expect(first.known).toEqual(nothing);
  const other = await sandbox.read('B');
  expect(other).toMatchObject({ content: 'bytes of B', known: nothing });
  const again = await sandbox.read('A');
  // The attack works within an account, so the test can fail.
  expect(again).toMatchObject({ child: first.child, known: { memory: ['bytes of A'], descriptors: ['bytes of A'] } });
  expect(again.known.files).toEqual([]);
  expect((await sandbox.read('B')).known.memory).toEqual(['bytes of B']);
});

test('twenty accounts in turn get twenty children, which stay for their account while they have memory', async () => {
  await using sandbox = hoarding({ idleMemoryBytes: 1e12 });
  const accounts = Array.from({ length: 20 }, (_, index) => `account-${index}`);
  const children: string[] = [];
  for (const account of accounts) children.push((await sandbox.read(account)).child);
  expect(new Set(children).size).toBe(20);
  for (const [index, account] of accounts.entries()) expect((await sandbox.read(account)).child).toBe(children[index]);
});

test('idle children without memory for them are ended, the least recently used first', async () => {
  const before = decoders(process.pid);
  await using sandbox = hoarding({ idleMemoryBytes: 0 });
  const { child } = await sandbox.read('A');
  const ofOne = decoders(process.pid).length - before.length;
  for (const account of ['B', 'C', 'D', 'E']) await sandbox.read(account);
  // That of the last account, and the one that is started ahead.
  await poll(() => decoders(process.pid).length - before.length).toBe(2 * ofOne);
  const again = await sandbox.read('A');
  expect(again.child).not.toBe(child);
  expect(again.known.memory).toEqual([]);
});
