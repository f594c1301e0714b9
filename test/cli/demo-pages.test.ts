import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { tellPages, type PagesOptions } from '../../src/cli/demo/demo-pages.ts';
import { createProgress } from '../../src/cli/enhance/enhance-progress.ts';
import { poll } from '../support/poll.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { recorder } from './support.ts';
import { LACKS_LINUX, testUnless } from '../support/needs.ts';

const UPLOADS = [
  { name: 'dark-room.jpg', uploadId: 'upl_1' },
  { name: 'page.jpg', uploadId: 'upl_2' },
];
const signInLink = () => Promise.resolve('http://burnish.example:3000/sign-in#token=secret');

async function told(options: Partial<PagesOptions>): Promise<string> {
  const out = recorder();
  const given = { baseUrl: 'http://127.0.0.1:3000', folder: '.', environment: {}, signInLink, ...options };
  await tellPages(UPLOADS, given, createProgress(out));
  return out.text();
}

test('an output without a terminal names the pages, and has no token', async () => {
  const text = await told({});
  expect(text).toContain('  dark-room.jpg: http://127.0.0.1:3000/uploads/upl_1\n');
  expect(text).toContain('  page.jpg: http://127.0.0.1:3000/uploads/upl_2\n');
  expect(text).not.toContain('secret');
  expect(text).not.toContain('npx burnish up');
});

test('an instance that ends with the demo names the command that starts it', async () => {
  expect(await told({ isEnding: true })).toContain('Run `npx burnish up` to open the dashboard.');
});

test('a person at a terminal gets a link that signs in at the first page', async () => {
  const text = await told({ interactive: true });
  expect(text).toContain('  dark-room.jpg: http://burnish.example:3000/uploads/upl_1#token=secret\n');
  expect(text).toContain('  page.jpg: http://burnish.example:3000/uploads/upl_2\n');
  expect(text).toContain('The first link signs you in, once within 15 minutes.');
  expect(text).not.toContain('browser');
});

test('a failed link leaves the plain addresses', async () => {
  const text = await told({ interactive: true, signInLink: () => Promise.reject(new Error('stopped')) });
  expect(text).toContain('  dark-room.jpg: http://127.0.0.1:3000/uploads/upl_1\n');
  expect(text).not.toContain('signs you in');
});

testUnless(LACKS_LINUX)(
  'a desktop opens a private file that leads to the page, and no argument of a process has the token',
  async () => {
    await using folder = await temporaryFolder();
    const program = join(folder.path, 'xdg-open');
    const seen = join(folder.path, 'seen');
    await writeFile(program, `#!/bin/sh\nprintf '%s' "$*" > ${seen}.part && /bin/mv ${seen}.part ${seen}\n`);
    await chmod(program, 0o755);
    const path = join(folder.path, 'compare.html');
    await writeFile(path, 'of an earlier demo', { mode: 0o644 });
    const environment = { DISPLAY: ':0', PATH: folder.path };
    expect(await told({ interactive: true, folder: folder.path, environment })).toContain('A browser opens it.');
    await poll(() => readFile(seen, 'utf8').catch(() => '')).toBe(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toContain('url=http://burnish.example:3000/uploads/upl_1#token=secret"');
  },
);

testUnless(LACKS_LINUX)('a desktop without a browser does not stop the demo', async () => {
  await using folder = await temporaryFolder();
  const environment = { DISPLAY: ':0', PATH: folder.path };
  const text = await told({ interactive: true, folder: folder.path, environment });
  expect(text).toContain('#token=secret');
  expect(text).not.toContain('browser');
});
