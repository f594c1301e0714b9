import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { identifyProcess, identifyThisProcess, isRunning } from '../../src/process/process-identity.ts';
import { LACKS_LINUX, describeUnless } from '../support/needs.ts';

async function sleeper(): Promise<ChildProcess & { pid: number }> {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  await once(child, 'spawn');
  return child as ChildProcess & { pid: number };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/**
 * Kills without a turn of the event loop, in which Node.js would ask after its child: what stays is a zombie.
 * @returns whether it was told to be gone while it still had its number
 */
function leaveZombie({ pid }: { pid: number }): boolean {
  process.kill(pid, 'SIGKILL');
  const giveUpAt = performance.now() + 10_000;
  while (identifyProcess(pid) !== undefined) if (performance.now() > giveUpAt) return false;
  return process.kill(pid, 0);
}

describe('the identity of a process', () => {
  test('is constant during its life, and can be part of a file name', () => {
    const identity = identifyThisProcess();
    expect(identity).toEqual(identifyProcess(process.pid));
    expect(isRunning(identity)).toBe(true);
    expect(identity.started).toMatch(/^\w+\.[\w.]+$/);
  });

  test('ends with the process', async () => {
    const child = await sleeper();
    const identity = identifyProcess(child.pid)!;
    expect(isRunning(identity)).toBe(true);
    await kill(child);
    expect(isRunning(identity)).toBe(false);
    expect(identifyProcess(child.pid)).toBeUndefined();
  });

  test('ends although the parent has not reaped the process', async () => {
    const child = await sleeper();
    const exit = once(child, 'exit');
    expect(leaveZombie(child)).toBe(true);
    await exit;
  });

  test('differs from that of a later process with the same id, before and after a reboot', () => {
    const { pid, started } = identifyThisProcess();
    const [boot, ...start] = started.split('.');
    expect(isRunning({ pid, started: `${boot}.1` })).toBe(false);
    expect(isRunning({ pid, started: `${'f'.repeat(32)}.${start.join('.')}` })).toBe(false);
    expect(isRunning({ pid, started: 'long ago' })).toBe(false);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 60])('does not exist for the number %s', (pid) => {
    expect(identifyProcess(pid)).toBeUndefined();
  });
});

describe('a process of another user that the system hides', () => {
  afterEach(() => void jest.restoreAllMocks());

  test('counts as running unless it is of an earlier boot', async () => {
    const child = await sleeper();
    const identity = identifyProcess(child.pid)!;
    await kill(child);
    jest.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    expect(isRunning(identity)).toBe(true);
    expect(isRunning({ pid: identity.pid, started: `${'f'.repeat(32)}.1` })).toBe(false);
  });
});

describeUnless(LACKS_LINUX)('on a system without /proc, ps', () => {
  beforeEach(() => void Object.defineProperty(process, 'platform', { value: 'freebsd' }));
  afterEach(() => {
    Object.defineProperty(process, 'platform', { value: 'linux' });
    jest.restoreAllMocks();
  });

  const startIn = (zone: string): number => {
    jest.replaceProperty(process, 'env', { ...process.env, TZ: zone });
    const [, , month, day, hour, minute, second, year] = identifyThisProcess().started.split('.');
    return Date.parse(`${day} ${month} ${year} ${hour}:${minute}:${second} UTC`);
  };

  test('reports the start as a date, in the same zone whatever the setting', () => {
    // To the minute: some versions of ps are a second off now and then.
    expect(Math.abs(startIn('Asia/Tokyo') - startIn('America/New_York'))).toBeLessThan(60_000);
  });

  test('reports a zombie and a missing process', async () => {
    const child = await sleeper();
    expect(identifyProcess(child.pid)).toBeDefined();
    const exit = once(child, 'exit');
    expect(leaveZombie(child)).toBe(true);
    await exit;
    expect(identifyProcess(child.pid)).toBeUndefined();
  });
});
