import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { SESSION_NICE } from '../../packages/jail/src/watch/session-priority.ts';
import { poll } from '../support/poll.ts';
import { decoders } from '../support/decoders.ts';
import { listOfTasks } from './support/list-of-tasks.ts';
import { scratchFolder } from '../../packages/engine/test/support/files.ts';

const scratch = await scratchFolder();

/** Group of a process that the kernel shares time among, and its nice value; undefined on a kernel without such groups. */
function group(pid: number): [name: string, nice: number] | undefined {
  try {
    const [name, , nice] = readFileSync(`/proc/${pid}/autogroup`, 'latin1').trim().split(' ');
    return [name!, Number(nice)];
  } catch {
    return undefined;
  }
}

test('a decoder has less priority than its parent, whose own stays, where the kernel shares time among sessions', async () => {
  const [ownName, ownNice] = group(process.pid) ?? [];
  const files = { hoard: { reads: ['inputPath'] } };
  const sandbox = createSandbox({ concurrency: 1, tasksUrl: listOfTasks('hoarding-tasks'), files });
  try {
    const inputPath = scratch('file');
    await writeFile(inputPath, 'bytes');
    await (sandbox.run as unknown as (...args: unknown[]) => Promise<unknown>)(
      'hoard',
      { inputPath },
      { account: 'A' },
    );
    const others = (): [string, number][] =>
      decoders(process.pid)
        .flatMap((pid) => [group(pid)].filter((found) => found !== undefined))
        .filter(([name]) => name !== ownName);
    await poll(() => others().filter(([, nice]) => nice !== SESSION_NICE)).toEqual([]);
    expect(group(process.pid)).toEqual(ownName === undefined ? undefined : [ownName, ownNice]);
  } finally {
    await sandbox.close();
  }
});
