import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import { openScratch } from '../../src/runtime/scratch.ts';
import { identifyProcess, identifyThisProcess, type ProcessIdentity } from '../../src/process/process-identity.ts';
import { thisHost } from '../../src/process/process-name.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { poll } from '../support/poll.ts';
import { useForEach } from '../support/use-for.ts';

const HOUR = 60 * 60 * 1000;

describe('the scratch folder', () => {
  const data = useForEach(() => temporaryFolder());

  const folders = () => readdir(join(data.path, 'scratch'));
  /** A folder of another process with a job in it. Returns its name. */
  async function leaveFolder({ pid, started }: ProcessIdentity, host = thisHost): Promise<string> {
    const name = `${host}-${pid}-${started}`;
    await mkdir(join(data.path, 'scratch', name, 'job-1'), { recursive: true });
    await writeFile(join(data.path, 'scratch', name, 'job-1', 'result'), 'half');
    return name;
  }
  /** Sets the times of a folder and its jobs back. */
  async function age(name: string, hours: number): Promise<void> {
    const then = new Date(Date.now() - hours * HOUR);
    for (const path of [join(name, 'job-1'), name]) await utimes(join(data.path, 'scratch', path), then, then);
  }

  test('exists while it is open, and is deleted with its content at close', async () => {
    const scratch = await openScratch(data.path);
    await writeFile(join(scratch.path, 'file'), 'x');
    expect(await folders()).toHaveLength(1);
    await scratch.close();
    expect(await folders()).toEqual([]);
  });

  test('of an ended process is removed', async () => {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const name = await leaveFolder(identifyProcess(child.pid!)!);
    const first = await openScratch(data.path);
    expect(await folders()).toContain(name);
    await first.close();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const second = await openScratch(data.path);
    expect(await folders()).not.toContain(name);
    await second.close();
  });

  test('of an ended process with a reused id is removed', async () => {
    const { pid, started } = identifyThisProcess();
    const ofParent = await leaveFolder({ pid: process.ppid, started: `${started.split('.')[0]}.1` });
    const ofOurs = await leaveFolder({ pid, started: `${started.split('.')[0]}.1` });
    const scratch = await openScratch(data.path);
    const left = await folders();
    expect(left).toHaveLength(1);
    expect(left).not.toContain(ofParent);
    expect(left).not.toContain(ofOurs);
    await scratch.close();
  });

  test('of another machine is removed after a day without a sign of life', async () => {
    const name = await leaveFolder({ pid: process.pid, started: 'any.1' }, 'feedbeef'.repeat(2));
    await age(name, 23);
    await (await openScratch(data.path)).close();
    expect(await folders()).toEqual([name]);
    await age(name, 25);
    await (await openScratch(data.path)).close();
    expect(await folders()).toEqual([]);
  });

  test('shows a sign of life also without a job', async () => {
    jest.useFakeTimers({
      doNotFake: [
        'Date',
        'hrtime',
        'nextTick',
        'performance',
        'queueMicrotask',
        'setImmediate',
        'clearImmediate',
        'setTimeout',
        'clearTimeout',
      ],
    });
    try {
      const { path, close } = await openScratch(data.path);
      const longAgo = new Date(Date.now() - 48 * HOUR);
      await utimes(path, longAgo, longAgo);
      jest.advanceTimersByTime(12 * HOUR);
      jest.useRealTimers();
      await poll(async () => (await stat(path)).mtimeMs).toBeGreaterThan(Date.now() - HOUR);
      await close();
    } finally {
      jest.useRealTimers();
    }
  });
});
