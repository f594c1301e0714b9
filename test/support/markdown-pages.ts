import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pagesBelow } from './markdown-links.ts';
import { repositoryRoot } from './repository.ts';

/** Every Markdown page at the root, in docs/ and of each package, relative to the root. */
export async function markdownPages(): Promise<string[]> {
  const atRoot = (await readdir(repositoryRoot)).filter((name) => name.endsWith('.md'));
  const packages = (await readdir(join(repositoryRoot, 'packages'))).map((name) => join('packages', name));
  const folders = ['docs', ...packages.map((name) => join(name, 'docs'))];
  const below = folders.map(async (name) =>
    (await pagesBelow(join(repositoryRoot, name))).map((page) => join(name, page)),
  );
  return [...atRoot, ...packages.map((name) => join(name, 'README.md')), ...(await Promise.all(below)).flat()];
}
