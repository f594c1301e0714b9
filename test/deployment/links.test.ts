import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { expect, it } from '@jest/globals';
import { openLinks, pagesBelow } from '../support/markdown-links.ts';
import { repositoryRoot } from '../support/repository.ts';

/** Every Markdown page at the root, in docs/ and of each package, relative to the root. */
async function pages(): Promise<string[]> {
  const atRoot = (await readdir(repositoryRoot)).filter((name) => name.endsWith('.md'));
  const packages = (await readdir(join(repositoryRoot, 'packages'))).map((name) => join('packages', name));
  const folders = ['docs', ...packages.map((name) => join(name, 'docs'))];
  const below = folders.map(async (name) =>
    (await pagesBelow(join(repositoryRoot, name))).map((page) => join(name, page)),
  );
  return [...atRoot, ...packages.map((name) => join(name, 'README.md')), ...(await Promise.all(below)).flat()];
}

it('every relative link of README, CONTRIBUTING, docs and packages leads to a file, and to a heading if it names one', async () => {
  const { links, dead } = await openLinks(repositoryRoot, await pages());
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
  for (const page of await pages()) {
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
