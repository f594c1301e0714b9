import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { lockDataFolder } from '../../src/database/embedded/open-embedded.ts';
import { identifyProcess, type ProcessIdentity } from '../../src/process/process-identity.ts';
import { thisHost } from '../../src/process/process-name.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { useForEach } from '../support/use-for.ts';

const TIMING = { beatMs: 20, silenceMs: 200 };
const ANOTHER_HOST = 'feedbeef'.repeat(2);

describe('the lock of a data folder', () => {
  const folder = useForEach(() => temporaryFolder());

  const claims = () => readdir(join(folder.path, 'locks'));
  async function leaveClaim({ pid, started }: ProcessIdentity, host = thisHost): Promise<string> {
    await mkdir(join(folder.path, 'locks'), { recursive: true });
    const path = join(folder.path, 'locks', `${host}-${pid}-${started}-abcdef`);
    await writeFile(path, '');
    return path;
  }

  test('is free after its release', async () => {
    for (let i = 0; i < 3; i += 1) await (await lockDataFolder(folder.path))();
    expect(await claims()).toEqual([]);
  });

  test('admits at most one of many parallel processes', async () => {
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataFolder(folder.path)));
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
  });

  test('of an ended process is void', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    const identity = identifyProcess(child.pid!)!;
    await once(child, 'exit');
    await leaveClaim(identity);
    await lockDataFolder(folder.path);
    expect(await claims()).toHaveLength(1);
  });

  test('of an ended process with a reused id is void', async () => {
    await leaveClaim({ pid: process.pid, started: 'long.ago' });
    await lockDataFolder(folder.path);
    expect(await claims()).toHaveLength(1);
  });

  test('of another machine is valid while that machine renews it', async () => {
    const path = await leaveClaim({ pid: 42, started: 'long.ago' }, ANOTHER_HOST);
    const beat = setInterval(() => void utimes(path, new Date(), new Date()), 10);
    await expect(lockDataFolder(folder.path, TIMING)).rejects.toThrow(
      `The data folder ${folder.path} is in use by process 42 of another machine or container. Stop it, or set BURNISH_DATA_DIR`,
    );
    clearInterval(beat);
    expect(await claims()).toHaveLength(1);
  });

  test('of another machine is not void because its claim cannot be read', async () => {
    const path = await leaveClaim({ pid: 42, started: 'long.ago' }, ANOTHER_HOST);
    await rm(path);
    // A link to itself fails to open with ELOOP, as a file of a broken network disk does with EIO.
    await symlink(path, path);
    await expect(lockDataFolder(folder.path, TIMING)).rejects.toMatchObject({ code: 'ELOOP' });
    // The refused process leaves no claim of its own.
    expect(await claims()).toHaveLength(1);
  });

  test('of another machine is void without renewal', async () => {
    await leaveClaim({ pid: 42, started: 'long.ago' }, ANOTHER_HOST);
    await lockDataFolder(folder.path, TIMING);
    expect(await claims()).toHaveLength(1);
  });
});
