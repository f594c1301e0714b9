import { expect, test } from '@jest/globals';
import type { Answer, Problem } from '../e2e/api.ts';
import { photo } from '../e2e/files.ts';
import { cleanEnvironment, freePorts, portSettings, runCommand, startInstance } from '../e2e/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * Runs a command with a small disk mounted at a folder. Only that command sees the disk. Needs root, or a system that lets
 * users mount.
 */
const withDisk = (folder: string, size: string): string[] => [
  'unshare',
  ...['--map-root-user', '--mount', 'sh', '-c'],
  `mount -t tmpfs -o size=${size} tmpfs "$0" && exec "$@"`,
  folder,
];

test('a disk that is full at the start is reported in one sentence', async () => {
  await using folder = await temporaryFolder();
  const env = await cleanEnvironment({ ...portSettings(await freePorts()), BURNISH_DATA_DIR: folder.path });
  const command = runCommand(['up'], env, { via: withDisk(folder.path, '1m') });
  expect(await command.ended).toBe(1);
  expect(command.output()).toMatch(/^[^\n]* cannot be written: the disk is full\.\n$/);
});

test('a disk that becomes full refuses larger uploads, keeps nothing of them, and still accepts smaller ones', async () => {
  await using folder = await temporaryFolder();
  await using files = await temporaryFolder();
  await using instance = await startInstance({
    dataDir: folder.path,
    env: { BURNISH_STORAGE: `file:${files.path}` },
    via: withDisk(files.path, '2m'),
  });
  const { api } = instance;
  const large = Buffer.concat([await photo(1), Buffer.alloc(5_000_000)]);
  for (const _ of [1, 2]) {
    const refused = (await api.upload(large)) as unknown as Answer<Problem>;
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '30']);
  }
  const { body } = await api.upload(await photo(2), { enhancements: [{}] });
  expect((await api.settled(body.id)).enhancements).toMatchObject([{ status: 'FINISHED' }]);
  expect(await instance.stop()).toBe(0);
});
