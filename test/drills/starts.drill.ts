import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { photo } from '../e2e/files.ts';
import { cleanEnvironment, freePorts, portSettings, runCommand, startInstance } from '../e2e/instance.ts';
import { processTree } from '../e2e/processes.ts';
import { unmount } from '../support/marked-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

test('a disk that is full at the start is reported in one sentence', async () => {
  await using folder = await temporaryFolder();
  const env = await cleanEnvironment({ ...portSettings(await freePorts()), BURNISH_DATA_DIR: folder.path });
  // Only the command sees the disk. Needs root, or a system that lets users mount.
  const mount = 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"';
  const via = ['unshare', '--map-root-user', '--mount', 'sh', '-c', mount, folder.path];
  const command = runCommand(['up'], env, { via });
  expect(await command.ended).toBe(1);
  expect(command.output()).toMatch(/^[^\n]* cannot be written: the disk is full\. Free some space, [^\n]*\n$/);
});

test('a start without its storage waits, says so in one sentence, and continues once the storage is back', async () => {
  await using folder = await temporaryFolder();
  const root = join(folder.path, 'files');
  const shared = { dataDir: join(folder.path, 'data'), ports: await freePorts() };
  const env = { BURNISH_STORAGE: `file:${root}` };
  const first = await startInstance({ ...shared, env });
  const { body } = await first.api.upload(await photo(1));
  await first.api.settled(body.id);
  expect(await first.stop()).toBe(0);

  const remount = await unmount(root);
  const settings = { ...portSettings(shared.ports), BURNISH_DATA_DIR: shared.dataDir, ...env };
  const waiting = runCommand(['up'], await cleanEnvironment(settings));
  await until(() => (waiting.stderr().includes('The start waits') ? true : undefined));
  const sentences = waiting.stderr().split('\n');
  expect(sentences.filter((line) => line.startsWith('Storage carries no marker'))).toHaveLength(1);
  expect(waiting.stdout()).toBe('');
  await remount();
  await until(() => (waiting.stdout().includes('Ctrl-C stops it.') ? true : undefined));
  waiting.child.kill('SIGINT');
  expect(await waiting.ended).toBe(0);

  // A signal ends a start that waits.
  const away = await unmount(root);
  const stopped = runCommand(['up'], await cleanEnvironment(settings));
  await until(() => (stopped.stderr().includes('The start waits') ? true : undefined));
  stopped.child.kill('SIGINT');
  expect(await stopped.ended).toBe(0);
  expect(processTree(stopped.pid)).toEqual([]);
  await away();
});
