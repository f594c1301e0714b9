import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const load = (name: string): Promise<unknown> => import(join(repositoryRoot, 'scripts', 'package', name));
const { mendLinks } = (await load('links.mjs')) as {
  mendLinks(folder: string, root: string, place: string, files: string | undefined): void;
};
const { repositoryUrl } = (await load('repository-url.mjs')) as {
  repositoryUrl(root: string): Promise<string | undefined>;
};

const PAGE = `[here](docs/a.md#b) [\`code\`](../pdf/README.md#part) ![picture](../../docs/x.png) [gone](none.md) [web](https://a.b/c)
\`\`\`md
[example](../pdf/README.md)
\`\`\`
`;

/** A clone with a package beside it, in which the page is. */
async function packed(files?: string): Promise<string> {
  await using folder = await temporaryFolder();
  const [root, place] = [join(folder.path, 'clone'), join(folder.path, 'clone', '.cache', 'package')];
  for (const path of ['docs/x.png', 'packages/pdf/README.md', '.cache/package/docs/a.md']) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), '');
  }
  await writeFile(join(place, 'README.md'), PAGE);
  mendLinks(place, root, 'packages/client', files);
  return await readFile(join(place, 'README.md'), 'utf8');
}

test('a link out of a package becomes its text, and an example stays', async () => {
  const [line, ...rest] = (await packed()).split('\n');
  expect(line).toBe('[here](docs/a.md#b) `code` picture gone [web](https://a.b/c)');
  expect(rest).toEqual(PAGE.split('\n').slice(1));
});

test('with a public repository, it leads to the file of the version there', async () => {
  const [line] = (await packed('https://git.example.com/us/burnish/blob/v1.2.3')).split('\n');
  const files = 'https://git.example.com/us/burnish/blob/v1.2.3';
  expect(line).toBe(
    `[here](docs/a.md#b) [\`code\`](${files}/packages/pdf/README.md#part) ![picture](${files}/docs/x.png) gone [web](https://a.b/c)`,
  );
});

test.each([
  ['https://git.example.com/us/burnish', 'https://git.example.com/us/burnish'],
  ['https://user:secret@git.example.com/us/burnish.git', 'https://git.example.com/us/burnish'],
  ['git@git.example.com:us/burnish.git', 'https://git.example.com/us/burnish'],
  ['ssh://git@git.example.com/us/burnish', 'https://git.example.com/us/burnish'],
  ['/srv/burnish', undefined],
  ['file:///srv/burnish', undefined],
  [undefined, undefined],
])('the remote %s gives the repository %s', async (remote, url) => {
  await using folder = await temporaryFolder();
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: folder.path });
  await git('init', '--quiet');
  if (remote !== undefined) await git('remote', 'add', 'origin', remote);
  expect(await repositoryUrl(folder.path)).toBe(url);
});
