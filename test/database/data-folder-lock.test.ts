import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockDataFolder } from '../../src/database/data-folder-lock.ts';
import { processBirth, processIsAlive } from '../../src/database/process-identity.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const TIMING = { beatMs: 20, silenceMs: 200 };

describe('the lock of a data folder', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const claims = () => readdir(join(folder.path, 'locks'));
  /** The host as this machine writes it. */
  async function hostToken(): Promise<string> {
    const unlock = await lockDataFolder(folder.path);
    const [name] = await claims();
    await unlock();
    return name!.split('-')[2]!;
  }
  async function leaveClaim(pid: number, birth: string, host: string): Promise<string> {
    await mkdir(join(folder.path, 'locks'), { recursive: true });
    const path = join(folder.path, 'locks', `${pid}-${birth}-${host}-abcdef`);
    await writeFile(path, '');
    return path;
  }

  test('is free again after it was given back', async () => {
    for (let i = 0; i < 3; i += 1) await (await lockDataFolder(folder.path))();
    expect(await claims()).toEqual([]);
  });

  test('lets in at most one of many that come at once', async () => {
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataFolder(folder.path)));
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
  });

  test('of a process that is gone does not hold', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    const birth = processBirth(child.pid!);
    await once(child, 'exit');
    await leaveClaim(child.pid!, birth, await hostToken());
    await lockDataFolder(folder.path);
    expect(await claims()).toHaveLength(1);
  });

  test('of a process whose pid another has by now does not hold', async () => {
    await leaveClaim(process.pid, 'abc123', await hostToken());
    await lockDataFolder(folder.path);
    expect(await claims()).toHaveLength(1);
  });

  test('from another machine holds while that gives signs of life', async () => {
    const path = await leaveClaim(42, 'abc123', 'feedbeef');
    const beat = setInterval(() => void utimes(path, new Date(), new Date()), 10);
    await expect(lockDataFolder(folder.path, TIMING)).rejects.toThrow(
      `The data folder ${folder.path} is in use by process 42.`,
    );
    clearInterval(beat);
    expect(await claims()).toHaveLength(1);
  });

  test('from another machine that has gone silent does not hold', async () => {
    await leaveClaim(42, 'abc123', 'feedbeef');
    await lockDataFolder(folder.path, TIMING);
    expect(await claims()).toHaveLength(1);
  });
});

describe('the identity of a process', () => {
  test('is the same for as long as it lives, and another for another', () => {
    expect(processBirth(process.pid)).toBe(processBirth(process.pid));
    expect(processIsAlive(process.pid, processBirth(process.pid))).toBe(true);
    expect(processIsAlive(process.pid, 'abc123')).toBe(false);
  });

  test('tells that a killed child is dead before its parent has asked', async () => {
    const child = spawn('sleep', ['60']);
    await once(child, 'spawn');
    const birth = processBirth(child.pid!);
    expect(processIsAlive(child.pid!, birth)).toBe(true);
    child.kill('SIGKILL');
    await expect.poll(() => processIsAlive(child.pid!, birth)).toBe(false);
  });
});
