import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { expect, it } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';

async function pagesBelow(folder: string): Promise<string[]> {
  const names = await readdir(join(repositoryRoot, folder), { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('.md')).map((name) => join(folder, name));
}

/** Every Markdown page at the root, in docs/ and of each package, relative to the root. */
async function pages(): Promise<string[]> {
  const atRoot = (await readdir(repositoryRoot)).filter((name) => name.endsWith('.md'));
  const packages = (await readdir(join(repositoryRoot, 'packages'))).map((name) => join('packages', name));
  const ofPackages = await Promise.all(packages.map((name) => pagesBelow(join(name, 'docs'))));
  const readmes = packages.map((name) => join(name, 'README.md'));
  return [...atRoot, ...(await pagesBelow('docs')), ...readmes, ...ofPackages.flat()];
}

const withoutCode = (text: string): string => text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');

/** Anchors of the headings, as GitHub derives them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

it('every relative link of README, CONTRIBUTING, docs and packages leads to a file, and to a heading if it names one', async () => {
  const dead: string[] = [];
  let links = 0;
  for (const page of await pages()) {
    const path = join(repositoryRoot, page);
    const text = await readFile(path, 'utf8');
    for (const [, target] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      links += 1;
      const [file = '', anchor] = target!.split('#');
      const linked = file === '' ? path : join(dirname(path), file);
      const isHere = existsSync(linked) && !relative(repositoryRoot, linked).startsWith('..');
      const hasAnchor = anchor === undefined || (isHere && anchorsOf(await readFile(linked, 'utf8')).has(anchor));
      if (!isHere || !hasAnchor) dead.push(`${page}: ${target}`);
    }
  }
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
