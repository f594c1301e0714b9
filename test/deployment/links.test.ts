import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { expect, it } from '@jest/globals';
import { openLinks } from '../support/markdown-links.ts';
import { markdownPages } from '../support/markdown-pages.ts';
import { repositoryRoot } from '../support/repository.ts';

it('every relative link of README, CONTRIBUTING, docs and packages leads to a file, and to a heading if it names one', async () => {
  const { links, dead } = await openLinks(repositoryRoot, await markdownPages());
  expect(links).toBeGreaterThan(30);
  expect(dead).toEqual([]);
});

it('every source, test and script that CONTRIBUTING.md names exists', async () => {
  const text = await readFile(join(repositoryRoot, 'CONTRIBUTING.md'), 'utf8');
  const named = [...text.matchAll(/`((?:src|packages|test|scripts)\/[\w./-]+)`/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
});

it('every source file that a page names exists, by its whole path or its end', async () => {
  const folders = ['src', 'packages', 'test', 'scripts', 'bench', 'deploy', 'examples'];
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(repositoryRoot, folder), { recursive: true })).map((name) => join(folder, name)),
    ),
  );
  const atRoot = await readdir(repositoryRoot);
  const known = [...atRoot, ...files.flat()].map((path) => `/${path.split(sep).join('/')}`);
  const wrong: string[] = [];
  let named = 0;
  for (const page of await markdownPages()) {
    // A decision names the files of its day.
    if (page.startsWith(join('docs', 'adr')) || page === 'CHANGELOG.md') continue;
    const text = await readFile(join(repositoryRoot, page), 'utf8');
    for (const [, path] of text.matchAll(/`([\w./-]+\.(?:ts|tsx|mjs))`/g)) {
      named += 1;
      if (!known.some((file) => file.endsWith(`/${path}`))) wrong.push(`${page}: ${path}`);
    }
  }
  expect(named).toBeGreaterThan(60);
  expect(wrong).toEqual([]);
});
