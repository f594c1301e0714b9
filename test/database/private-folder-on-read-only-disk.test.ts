import { execFileSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makePrivateFolder } from '../../src/database/private-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testUnless } from '../support/needs.ts';

const canMount = (): boolean => {
  try {
    execFileSync('unshare', ['--map-root-user', '--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

test('a private folder is created with its parents, for this user only', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'new', 'deep');
  await makePrivateFolder(path);
  await makePrivateFolder(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

testUnless(canMount() ? undefined : 'mount namespaces')(
  'a new folder on a read-only disk fails with EROFS',
  async () => {
    await using folder = await temporaryFolder();
    const module = new URL('../../src/database/private-folder.ts', import.meta.url).href;
    const script = `import('${module}').then((m) => m.makePrivateFolder('${folder.path}/new/deep')).catch((e) => console.log(e.code, e.path))`;
    const command = `mount -t tmpfs -o ro tmpfs ${folder.path} && exec "$0" --import tsx -e "$1"`;
    const args = ['--map-root-user', '--mount', 'sh', '-c', command, process.execPath, script];
    expect(execFileSync('unshare', args, { encoding: 'utf8' })).toBe(`EROFS ${folder.path}/new\n`);
  },
);
